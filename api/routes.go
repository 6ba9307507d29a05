package api

// route is one row of the table: what is served under which path.
type route struct {
	method string
	path   string // {queue} and {key} stand for one segment, a verb may follow the last
	open   bool   // needs no token
	serve  func(*call) error
}

// routes is all that the door serves. openapi.yaml says the same, and a test
// compares them.
var routes = []route{
	{"PUT", "/v1/queues/{queue}/tasks/{key}", false, (*call).scheduleTask},
	{"GET", "/v1/queues/{queue}/tasks/{key}", false, (*call).getTask},
	{"PATCH", "/v1/queues/{queue}/tasks/{key}", false, (*call).updateTask},
	{"DELETE", "/v1/queues/{queue}/tasks/{key}", false, (*call).cancelTask},
	{"POST", "/v1/queues/{queue}/tasks/{key}:run", false, (*call).runTask},
	{"POST", "/v1/queues/{queue}/tasks/{key}:redrive", false, (*call).redriveTask},
	{"GET", "/v1/queues/{queue}/tasks", false, (*call).listTasks},
	{"POST", "/v1/queues/{queue}/tasks", false, (*call).createTask},
	{"POST", "/v1/tasks:batch", false, (*call).scheduleBatch},

	{"PUT", "/v1/queues/{queue}/schedules/{key}", false, (*call).putSchedule},
	{"GET", "/v1/queues/{queue}/schedules/{key}", false, (*call).getSchedule},
	{"DELETE", "/v1/queues/{queue}/schedules/{key}", false, (*call).deleteSchedule},
	{"POST", "/v1/queues/{queue}/schedules/{key}:pause", false, (*call).pauseSchedule},
	{"POST", "/v1/queues/{queue}/schedules/{key}:resume", false, (*call).resumeSchedule},
	{"POST", "/v1/queues/{queue}/schedules/{key}:trigger", false, (*call).triggerSchedule},
	{"GET", "/v1/queues/{queue}/schedules/{key}/occurrences", false, (*call).listOccurrences},
	{"GET", "/v1/queues/{queue}/schedules", false, (*call).listSchedules},
	{"POST", "/v1/schedules:batch", false, (*call).putSchedules},

	{"POST", "/v1/queues/{queue}:claim", false, (*call).claimTasks},
	{"POST", "/v1/leases:complete", false, (*call).completeLeases},
	{"POST", "/v1/leases:fail", false, (*call).failLeases},
	{"POST", "/v1/leases:snooze", false, (*call).snoozeLeases},
	{"POST", "/v1/leases:renew", false, (*call).renewLeases},

	{"GET", "/v1/queues", false, (*call).listQueues},
	{"GET", "/v1/queues/{queue}", false, (*call).getQueue},
	{"PATCH", "/v1/queues/{queue}", false, (*call).updateQueue},
	{"POST", "/v1/queues/{queue}:pause", false, (*call).pauseQueue},
	{"POST", "/v1/queues/{queue}:resume", false, (*call).resumeQueue},
	{"POST", "/v1/queues/{queue}:purge", false, (*call).purgeQueue},

	{"GET", "/healthz", true, (*call).health},
	{"GET", "/readyz", true, (*call).readiness},
	{"GET", "/metrics", false, (*call).metrics},
	{"GET", "/openapi.yaml", true, (*call).document},
}
