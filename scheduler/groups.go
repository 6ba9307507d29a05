package scheduler

import "context"

// groupOps and groupBytes bound one command of a large batch, so that it does
// not hold up a shard for long.
const (
	groupOps   = 1000
	groupBytes = passBytes
)

// groups sorts a batch's operations by shard, into commands.
type groups struct {
	byShard [][]*group
}

type group struct {
	command
	shard   int
	indices []int // of the operations, in the batch
}

func newGroups(shards int) *groups { return &groups{byShard: make([][]*group, shards)} }

// add enters operation i of the batch, with the size of its payload.
func (gs *groups) add(shard, i int, o op, bytes int) {
	list := gs.byShard[shard]
	if n := len(list); n == 0 || len(list[n-1].ops) >= groupOps || list[n-1].bytes+bytes > groupBytes {
		list = append(list, &group{shard: shard})
		gs.byShard[shard] = list
	}
	g := list[len(list)-1]
	g.ops = append(g.ops, o)
	g.bytes += bytes
	g.indices = append(g.indices, i)
}

// doGroups carries all commands out, those of different shards side by side,
// and calls failed for each operation whose command failed.
func (s *Scheduler) doGroups(ctx context.Context, gs *groups, failed func(i int, err error)) {
	var sent []*group
	fail := func(g *group, err error) {
		for _, i := range g.indices {
			failed(i, err)
		}
	}
	for _, list := range gs.byShard {
		for _, g := range list {
			if err := s.shards[g.shard].send(ctx, &g.command); err != nil {
				fail(g, err)
				continue
			}
			sent = append(sent, g)
		}
	}
	for _, g := range sent {
		if err := s.shards[g.shard].wait(ctx, &g.command); err != nil {
			fail(g, err)
		}
	}
}
