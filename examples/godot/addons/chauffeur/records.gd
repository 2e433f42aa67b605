## Files of the add-on below user://: the id of the device, and for each run of the game one record,
## with what it has not sent.
##
## A record is { id, build, state, seconds, seen, queue }. `state` is "running", "paused" (a phone
## put the game away) or "ended"; `seen` is when it was written, in seconds since 1970.
extends RefCounted

const FIELDS := ["id", "build", "state", "seconds", "seen", "queue"]
const FOLDER := "user://chauffeur"
const DEVICE := FOLDER + "/device"
const OPT_OUT := FOLDER + "/opt-out"


static func open_folder() -> void:
	DirAccess.make_dir_recursive_absolute(FOLDER)


## Random, and the same for every run of this install. Where nothing can be written, it lasts as
## long as the run.
static func device_uid() -> String:
	var kept := ""
	if FileAccess.file_exists(DEVICE):
		kept = FileAccess.get_file_as_string(DEVICE).strip_edges()
	if kept.length() == 32 and kept.is_valid_hex_number():
		return kept
	var fresh := random_id()
	_write(DEVICE, fresh)
	return fresh


static func random_id() -> String:
	return Crypto.new().generate_random_bytes(16).hex_encode()


static func is_opted_out() -> bool:
	return FileAccess.file_exists(OPT_OUT)


## Forgets the device and every record, also when the player comes back.
static func set_opted_out(is_out: bool) -> void:
	for record in all():
		remove(record.id)
	DirAccess.remove_absolute(DEVICE)
	if is_out:
		_write(OPT_OUT, "")
	else:
		DirAccess.remove_absolute(OPT_OUT)


static func save(record: Dictionary) -> void:
	# A file that a crash cut in half would lose the session: so a whole one takes its place.
	var path := _path_of(record.id)
	if _write(path + ".new", JSON.stringify(record)):
		DirAccess.rename_absolute(path + ".new", path)


static func remove(id: String) -> void:
	if FileAccess.file_exists(_path_of(id)):
		DirAccess.remove_absolute(_path_of(id))


## Every record that can be read; what cannot be read is removed.
static func all() -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for file in DirAccess.get_files_at(FOLDER):
		if not file.begins_with("session-") or not file.ends_with(".json"):
			continue
		var path := FOLDER.path_join(file)
		var record: Variant = parse(FileAccess.get_file_as_string(path))
		if record is Dictionary and record.has_all(FIELDS) and record.queue is Array:
			found.append(record)
		else:
			DirAccess.remove_absolute(path)
	return found


## The value of a JSON text, null where it is none. (JSON.parse_string would write an error into the
## game's log.)
static func parse(text: String) -> Variant:
	var json := JSON.new()
	return json.data if json.parse(text) == OK else null


static func _path_of(id: String) -> String:
	return FOLDER.path_join("session-%s.json" % id)


static func _write(path: String, text: String) -> bool:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		return false
	file.store_string(text)
	file.close()
	return true
