## For CI: writes settings for crash reports and events to project.godot. `chauffeur build` writes
## those about the build itself.
##
##     godot --headless --path . --script res://addons/chauffeur/set_build.gd -- \
##         require_user_consent=false
extends SceneTree

const Settings := preload("res://addons/chauffeur/settings.gd")


func _init() -> void:
	for argument in OS.get_cmdline_user_args():
		var setting := argument.get_slice("=", 0)
		if not Settings.DEFAULTS.has(setting) or not argument.contains("="):
			printerr(
				"%s: unknown setting. Use: %s" % [argument, ", ".join(Settings.DEFAULTS.keys())]
			)
			quit(2)
			return
		var value := argument.substr(setting.length() + 1)
		var is_switch := typeof(Settings.DEFAULTS[setting]) == TYPE_BOOL
		ProjectSettings.set_setting(
			Settings.PREFIX + setting, value == "true" if is_switch else value
		)
	var error := ProjectSettings.save()
	if error != OK:
		printerr("Could not write project.godot: %s" % error_string(error))
	quit(0 if error == OK else 1)
