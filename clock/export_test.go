package clock

// PollSteps is what watches where the kernel does not tell.
var PollSteps = pollSteps
