package kit

import (
	"edgesvc.dev/svc/cli/internal/settings"
)

// NoContext says that there is no context of that name, or no current one.
func NoContext(name string) error {
	if name == "" {
		return &Failure{Exit: ExitNotFound, Code: "not_found", Message: "there is no current context", Hint: "svcctl login"}
	}
	return &Failure{Exit: ExitNotFound, Code: "not_found", Message: "there is no context " + name, Hint: "svcctl context list"}
}

// EditContexts changes config.yaml.
func (a *App) EditContexts(edit func(*settings.File, settings.Secrets) error) error {
	dir := settings.Dir(a.Getenv)
	f, err := settings.Read(dir)
	if err != nil {
		return err
	}
	if err := edit(f, settings.NewSecrets(dir, a.Getenv)); err != nil {
		return err
	}
	return f.Write(dir)
}
