// A game that uses Sentry's SDK for Go: `game SCENARIO`.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

var errNotFound = errors.New("no such file")

type LevelError struct {
	Number int
	Cause  error
}

func (e *LevelError) Error() string {
	return fmt.Sprintf("cannot load level %d: %v", e.Number, e.Cause)
}

func (e *LevelError) Unwrap() error { return e.Cause }

func openFile() error { return errNotFound }

func loadLevel(number int) error {
	if err := openFile(); err != nil {
		return &LevelError{number, err}
	}
	return nil
}

func capture(number int) {
	sentry.CaptureException(loadLevel(number))
}

func events() {
	sentry.AddBreadcrumb(&sentry.Breadcrumb{
		Category: "ui", Message: "clicked play", Data: map[string]any{"button": "play"},
	})
	capture(7)
	sentry.CaptureMessage("level loaded")
}

func startRace(cars []string, index int) string { return cars[index] }

// crash reports the panic, and goes on panicking, as main functions of games do.
func crash() {
	defer func() {
		if err := recover(); err != nil {
			sentry.CurrentHub().Recover(err)
			sentry.Flush(5 * time.Second)
			panic(err)
		}
	}()
	startRace([]string{"red"}, 3)
}

func limited() {
	for _, number := range []int{1, 2, 3} {
		capture(number)
		sentry.Flush(5 * time.Second)
	}
}

func main() {
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              os.Getenv("SENTRY_DSN"),
		Release:          os.Getenv("SENTRY_RELEASE"),
		Environment:      "production",
		AttachStacktrace: true,
	})
	if err != nil {
		panic(err)
	}
	defer sentry.Flush(5 * time.Second)
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetTag("level_name", "mountains")
		scope.SetUser(sentry.User{ID: "player-7"})
		scope.AddAttachment(&sentry.Attachment{
			Filename: "save.json", ContentType: "application/json", Payload: []byte(`{"car":1}`),
		})
	})
	map[string]func(){"events": events, "crash": crash, "errors": limited}[os.Args[1]]()
}
