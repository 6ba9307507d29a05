package wheel

// chain is a list of entries, linked both ways through their indices; 0 is none.
type chain struct{ head, tail uint32 }

// push puts the entry at the end. It returns true if the chain was empty.
func (c *chain) push(links *Slab[link], i uint32) (first bool) {
	*links.At(i) = link{prev: c.tail}
	if c.tail == 0 {
		c.head, c.tail = i, i
		return true
	}
	links.At(c.tail).next = i
	c.tail = i
	return false
}

// remove takes the entry out. It returns true if the chain is empty now.
func (c *chain) remove(links *Slab[link], i uint32) (last bool) {
	l := *links.At(i)
	if l.prev != 0 {
		links.At(l.prev).next = l.next
	} else {
		c.head = l.next
	}
	if l.next != 0 {
		links.At(l.next).prev = l.prev
	} else {
		c.tail = l.prev
	}
	return c.head == 0
}
