//go:build !linux

package clock

import "context"

func watchSteps(ctx context.Context, stepped func()) { pollSteps(ctx, stepped) }
