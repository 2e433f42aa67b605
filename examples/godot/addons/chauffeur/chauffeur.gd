## The autoload `Chauffeur`: sends standard events, custom events, and crashes of the previous run.
##
## session_start, first_input and session_end are sent automatically. Call [method boot_ok] when
## the main menu is on the screen. No method waits for the network. Events are stored in
## user://chauffeur until the server has accepted them.
extends Node

const Records := preload("res://addons/chauffeur/records.gd")
const Outbox := preload("res://addons/chauffeur/outbox.gd")
const Settings := preload("res://addons/chauffeur/settings.gd")
## A record written within this many seconds can belong to another running copy of the game.
const ALIVE_S := 30.0
const SAVE_MS := 1000
## Also the minimum interval for saving a long queue, which takes a while.
const HEARTBEAT_MS := 10_000
## The server detects a repeated event_id for seven days; older events could be counted twice.
const MAX_AGE_S := 6.0 * 86_400.0

## Marks every event as anonymous.
var anonymous := false

var _outbox := Outbox.new()
var _record: Dictionary = {}
var _device := ""
var _build := ""
var _sent_once: Dictionary = {}
var _is_on := false
var _shown_at := 0
var _save_at := Outbox.NEVER
var _check_at := Outbox.NEVER


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	_build = str(Settings.read("build_id"))
	_outbox.endpoint = Settings.events_endpoint()
	_outbox.app_id = str(Settings.read("app_id"))
	add_child(_outbox)
	_outbox.settled.connect(_save)
	_is_on = Settings.is_complete() and not Records.is_opted_out() and not _is_in_editor()
	if _is_on:
		_begin()


## Call this when the first frame of the main menu or the first scene is on the screen.
func boot_ok() -> void:
	_add_once("boot_ok", _since_start())
	_outbox.send_within(0)


## Called automatically for keys, clicks, touches and buttons.
func first_input() -> void:
	_add_once("first_input", _since_start())


## Call this when the player quits.
func quit() -> void:
	_add_once("quit")


## Sends a custom event: a name of up to 64 characters, and up to 32 properties that are texts,
## numbers or booleans.
func track(event: String, properties: Dictionary = {}) -> void:
	_add(event.left(64), {} if properties.is_empty() else {"properties": _flat(properties)})


## Ends the session and waits up to [param seconds] until its events are sent. Remaining events are
## sent at the next start. Call this before quitting:
## [code]await Chauffeur.finish(); get_tree().quit()[/code]
func finish(seconds := 1.5) -> void:
	_end()
	_outbox.send_within(0)
	var until := Time.get_ticks_msec() + int(seconds * 1000.0)
	while not _outbox.queue.is_empty() and Time.get_ticks_msec() < until:
		await get_tree().process_frame


## Opts the player out or in, and stores the choice. After opting out, nothing is sent, and the
## device id and unsent events are deleted.
func set_opt_out(is_out: bool) -> void:
	if is_out == Records.is_opted_out():
		return
	_outbox.clear()
	Records.set_opted_out(is_out)
	_is_on = Settings.is_complete() and not is_out and not _is_in_editor()
	if _is_on:
		_begin()


func is_opted_out() -> bool:
	return Records.is_opted_out()


## The random id of this installation, which players quote to request their data.
func device_uid() -> String:
	return _device


## The id of this session. With [method device_uid] in crash reports, these are counted by device.
func session_id() -> String:
	return _record.get("id", "")


func _process(_delta: float) -> void:
	if Time.get_ticks_msec() >= _save_at:
		_save()
	if Time.get_ticks_msec() >= _check_at:
		_check_at = Outbox.NEVER
		_adopt()


func _input(event: InputEvent) -> void:
	if (
		event is InputEventKey
		or event is InputEventMouseButton
		or event is InputEventScreenTouch
		or event is InputEventJoypadButton
	):
		first_input()
		set_process_input(false)


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_APPLICATION_PAUSED:
			_pause()
		NOTIFICATION_APPLICATION_RESUMED:
			_resume()
		NOTIFICATION_EXIT_TREE:
			_end()


func _begin() -> void:
	Records.open_folder()
	_device = Records.device_uid()
	_shown_at = Time.get_ticks_msec()
	_record = {"id": Records.random_id(), "build": _build, "state": "running", "seconds": 0}
	_adopt()
	_add("session_start")
	_save()


## Takes over the events of previous runs, and reports how these ended. A recent record can belong
## to another running copy of the game, so it is checked again later: a running copy will have
## updated its record by then.
func _adopt() -> void:
	var now := Time.get_unix_time_from_system()
	for past in Records.all():
		if past.id == _record.get("id"):
			continue
		if past.state == "running" and absf(now - float(past.seen)) < ALIVE_S:
			_check_at = Time.get_ticks_msec() + int(ALIVE_S * 1000.0)
			continue
		for item: Dictionary in past.queue + _ending_of(past):
			if now - float(item.event.timestamp) / 1000.0 < MAX_AGE_S:
				_outbox.add(item.build, item.event)
		_save()
		Records.remove(past.id)


## A phone can end a paused game, which is not a crash. In a browser, the game is not notified when
## its page closes.
func _ending_of(past: Dictionary) -> Array:
	var fields := {"timestamp": int(float(past.seen) * 1000.0)}
	if past.state == "paused":
		fields.merge({"event_id": past.id + ".end", "seconds": int(past.seconds)})
		return [{"build": past.build, "event": _event("session_end", past.id, fields)}]
	if past.state == "running" and not OS.has_feature("web"):
		fields.merge({"event_id": past.id + ".crash"})
		return [{"build": past.build, "event": _event("crash", past.id, fields)}]
	return []


func _event(event: String, session: String, fields: Dictionary) -> Dictionary:
	var common := {
		"event": event,
		"event_id": Records.random_id(),
		"device_uid": _device,
		"session_id": session,
		"timestamp": int(Time.get_unix_time_from_system() * 1000.0),
	}
	if anonymous:
		common["anonymous"] = true
	common.merge(fields, true)
	return common


func _add(event: String, fields: Dictionary = {}) -> void:
	if not _is_on:
		return
	_outbox.add(_build, _event(event, _record.id, fields))
	var is_short := _outbox.queue.size() <= Outbox.MAX_IN_BATCH
	_save_at = mini(_save_at, Time.get_ticks_msec() + (SAVE_MS if is_short else HEARTBEAT_MS))


func _add_once(event: String, fields: Dictionary = {}) -> void:
	if not _is_on or _sent_once.has(event):
		return
	_sent_once[event] = true
	_add(event, fields)
	# Save at once: if a crash loses the boot_ok event, it counts as a crash on boot.
	_save()


func _save() -> void:
	if not _is_on:
		return
	_save_at = Time.get_ticks_msec() + HEARTBEAT_MS
	_record["seen"] = Time.get_unix_time_from_system()
	_record["queue"] = _outbox.queue
	if _record.state == "ended" and _outbox.queue.is_empty():
		Records.remove(_record.id)
	else:
		Records.save(_record)


func _pause() -> void:
	if not _is_on or _record.state != "running":
		return
	_count_seconds()
	_record["state"] = "paused"
	_save()
	_outbox.send_within(0)


func _resume() -> void:
	if not _is_on or _record.state != "paused":
		return
	_record["state"] = "running"
	_shown_at = Time.get_ticks_msec()
	_save()


func _end() -> void:
	if not _is_on or _record.state == "ended":
		return
	_count_seconds()
	_add("session_end", {"event_id": _record.id + ".end", "seconds": _record.seconds})
	_record["state"] = "ended"
	_save()


func _count_seconds() -> void:
	if _record.state == "running":
		var played := roundi((Time.get_ticks_msec() - _shown_at) / 1000.0)
		_record["seconds"] = mini(86_400, int(_record.seconds) + played)


## Milliseconds since the engine started; omitted above the maximum that the server accepts.
func _since_start() -> Dictionary:
	var ms := Time.get_ticks_msec()
	return {"ms": ms} if ms <= 600_000 else {}


func _flat(properties: Dictionary) -> Dictionary:
	var flat := {}
	for key: Variant in properties.keys().slice(0, 32):
		var value: Variant = properties[key]
		if value is bool or value is int or (value is float and is_finite(value)):
			flat[str(key).left(64)] = value
		else:
			flat[str(key).left(64)] = str(value).left(256)
	return flat


func _is_in_editor() -> bool:
	return OS.has_feature("editor") and not ProjectSettings.get_setting(Settings.IN_EDITOR, false)
