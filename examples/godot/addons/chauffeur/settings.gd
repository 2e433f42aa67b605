## The project settings of the crash reporter, which also apply to events: the server, the game and
## the build.
extends RefCounted

const PREFIX := "application/crash_reporter/"
## Whether to send events when the game runs in the editor, where stopping it would look like a
## crash.
const IN_EDITOR := "chauffeur/events/in_editor"

const DEFAULTS := {
	"enabled": true,
	"upload_mode": "InEngine",
	"endpoint": "",
	"app_id": "",
	"build_id": "",
	"app_version": "",
	"build_channel": "stable",
	"require_user_consent": true,
	"privacy_policy_url": "",
}
const HINTS := {
	"upload_mode": [PROPERTY_HINT_ENUM, "InEngine,Sidecar,Both"],
	"endpoint": [PROPERTY_HINT_PLACEHOLDER_TEXT, "https://games.example.com/api/v1/public/crashes"],
}


static func read(setting: String) -> Variant:
	return ProjectSettings.get_setting(PREFIX + setting, DEFAULTS[setting])


## Returns the URL for events, next to the URL for crashes.
static func events_endpoint() -> String:
	return str(read("endpoint")).trim_suffix("/").trim_suffix("/crashes") + "/events"


static func is_complete() -> bool:
	return str(read("endpoint")) != "" and str(read("app_id")) != "" and str(read("build_id")) != ""


## Shows the settings in the editor. An engine with a built-in crash reporter already has them.
static func register() -> void:
	for setting: String in DEFAULTS:
		_register(PREFIX + setting, DEFAULTS[setting], HINTS.get(setting, [PROPERTY_HINT_NONE, ""]))
	_register(IN_EDITOR, false, [PROPERTY_HINT_NONE, ""])


static func _register(path: String, initial: Variant, hint: Array) -> void:
	if ProjectSettings.has_setting(path):
		return
	ProjectSettings.set_setting(path, initial)
	ProjectSettings.set_initial_value(path, initial)
	ProjectSettings.set_as_basic(path, true)
	ProjectSettings.add_property_info(
		{"name": path, "type": typeof(initial), "hint": hint[0], "hint_string": hint[1]}
	)
