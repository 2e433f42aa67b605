## The autoload `Chauffeur`: standard events of the game, events of your own, and crashes that it
## learns of at the next start.
##
## session_start, first_input and session_end come by themselves. Call [method boot_ok] when the
## main menu is on the screen. Nothing here waits for the network; what was not answered is kept in
## user://chauffeur and sent again.
extends Node

const Records := preload("res://addons/chauffeur/records.gd")
const Outbox := preload("res://addons/chauffeur/outbox.gd")
const Settings := preload("res://addons/chauffeur/settings.gd")
## What another copy of the game has written within so many seconds may be of one that lives.
const ALIVE_S := 30.0
const SAVE_MS := 1000
## Also how often a long queue is written at most: it takes its time.
const HEARTBEAT_MS := 10_000
## The service knows an event_id again for seven days; what is older could count twice.
const KEPT_S := 6.0 * 86_400.0

## Marks every event as anonymous.
var anonymous := false

var _outbox := Outbox.new()
var _record: Dictionary = {}
var _device := ""
var _build := ""
var _told: Dictionary = {}
var _is_on := false
var _shown_at := 0
var _save_at := Outbox.NEVER
var _look_at := Outbox.NEVER


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


## The first frame of the main menu, or of the first scene, is on the screen.
func boot_ok() -> void:
	_add_once("boot_ok", _since_start())
	_outbox.send_within(0)


## Comes by itself for keys, clicks, touches and buttons.
func first_input() -> void:
	_add_once("first_input", _since_start())


## The player chose to quit.
func quit() -> void:
	_add_once("quit")


## An event of your own: a name of up to 64 characters, and up to 32 properties that are texts,
## numbers or switches.
func track(event: String, properties: Dictionary = {}) -> void:
	_add(event.left(64), {} if properties.is_empty() else {"properties": _flat(properties)})


## Ends the session and gives its events so many seconds to leave; what does not, leaves at the next
## start. Before quitting:
## [code]await Chauffeur.finish(); get_tree().quit()[/code]
func finish(seconds := 1.5) -> void:
	_end()
	_outbox.send_within(0)
	var until := Time.get_ticks_msec() + int(seconds * 1000.0)
	while not _outbox.queue.is_empty() and Time.get_ticks_msec() < until:
		await get_tree().process_frame


## Remembered. Forgets the device and what was not sent; sends nothing until it is taken back.
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


## Random, of this install: what a player names who asks for the data.
func device_uid() -> String:
	return _device


func _process(_delta: float) -> void:
	if Time.get_ticks_msec() >= _save_at:
		_save()
	if Time.get_ticks_msec() >= _look_at:
		_look_at = Outbox.NEVER
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


## Takes over what earlier runs left, and tells how they ended. One that was there a moment ago may
## be another copy of the game that lives: it is looked at again later, when a living one has
## written its record anew.
func _adopt() -> void:
	var now := Time.get_unix_time_from_system()
	for past in Records.all():
		if past.id == _record.get("id"):
			continue
		if past.state == "running" and absf(now - float(past.seen)) < ALIVE_S:
			_look_at = Time.get_ticks_msec() + int(ALIVE_S * 1000.0)
			continue
		for item: Dictionary in past.queue + _ending_of(past):
			if now - float(item.event.timestamp) / 1000.0 < KEPT_S:
				_outbox.add(item.build, item.event)
		_save()
		Records.remove(past.id)


## A phone that put the game away may end it there: that is no crash. In a browser nobody tells a
## game that its page closes.
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
	var is_short := _outbox.queue.size() <= Outbox.MOST_IN_BATCH
	_save_at = mini(_save_at, Time.get_ticks_msec() + (SAVE_MS if is_short else HEARTBEAT_MS))


func _add_once(event: String, fields: Dictionary = {}) -> void:
	if not _is_on or _told.has(event):
		return
	_told[event] = true
	_add(event, fields)
	# At once: a boot_ok that a crash takes with it would make that a crash on boot.
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


## Milliseconds since the engine started; left out where they are more than the service takes.
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
