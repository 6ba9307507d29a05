package wheel

// pileKept is the room that an empty pile keeps for the next time.
const pileKept = 1024

// ranked is an element of a pile: a number, and the tick that ranks it.
type ranked struct {
	tick   uint64
	number uint32
}

// pile is a binary heap: the element of the earliest tick is on top. Putting in
// and taking out cost O(log n), and O(1) where all ticks are the same.
type pile struct {
	items []ranked
	// position returns where the number keeps its position in items.
	position func(number uint32) *uint32
}

// top returns the element with the earliest tick.
func (p *pile) top() (first ranked, ok bool) {
	if len(p.items) == 0 {
		return ranked{}, false
	}
	return p.items[0], true
}

func (p *pile) push(number uint32, tick uint64) {
	p.items = append(p.items, ranked{tick, number})
	p.up(len(p.items) - 1)
}

// remove takes out the element at that position.
func (p *pile) remove(at uint32) {
	last := len(p.items) - 1
	moved := p.items[last]
	p.items = p.items[:last]
	switch {
	case int(at) < last:
		p.items[at] = moved
		p.down(p.up(int(at)))
	case last == 0:
		p.empty()
	}
}

// empty takes out all. What a burst has needed is left to the garbage collector.
func (p *pile) empty() {
	p.items = p.items[:0]
	if cap(p.items) > pileKept {
		p.items = nil
	}
}

// up moves the element at that position to where no parent is later, and returns
// its new position.
func (p *pile) up(at int) int {
	item := p.items[at]
	for at > 0 {
		parent := (at - 1) / 2
		if p.items[parent].tick <= item.tick {
			break
		}
		p.put(at, p.items[parent])
		at = parent
	}
	p.put(at, item)
	return at
}

// down moves the element at that position to where no child is earlier.
func (p *pile) down(at int) {
	item := p.items[at]
	for {
		child := 2*at + 1
		if right := child + 1; right < len(p.items) && p.items[right].tick < p.items[child].tick {
			child = right
		}
		if child >= len(p.items) || item.tick <= p.items[child].tick {
			break
		}
		p.put(at, p.items[child])
		at = child
	}
	p.put(at, item)
}

func (p *pile) put(at int, item ranked) {
	p.items[at] = item
	*p.position(item.number) = uint32(at)
}
