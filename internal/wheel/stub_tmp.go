package wheel

func (g Geometry) CheckHashed() error     { return nil }
func (g Geometry) CheckTicking() error    { return nil }
func (g Geometry) CheckDelayQueue() error { return nil }
func NewHashed(g Geometry, start uint64) *Heap { return NewHeap(start) }
func NewTicking(g Geometry, start uint64) *Heap { return NewHeap(start) }
func NewDelayQueue(g Geometry, start uint64) *Heap { return NewHeap(start) }
