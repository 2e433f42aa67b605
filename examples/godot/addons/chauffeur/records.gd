## The add-on's files in user://: the device id, and one record for each run of the game, with its
## unsent events.
##
## A record is { id, build, state, seconds, seen, queue }. `state` is "running", "paused" (in the
## background on a phone) or "ended". `seen` is when the record was written, in seconds since 1970.
extends RefCounted

const FIELDS := ["id", "build", "state", "seconds", "seen", "queue"]
const FOLDER := "user://chauffeur"
const DEVICE := FOLDER + "/device"
const OPT_OUT := FOLDER + "/opt-out"


static func open_folder() -> void:
	DirAccess.make_dir_recursive_absolute(FOLDER)


## Returns a random id, the same for every run of this installation. If it cannot be stored, it is
## only valid for this run.
static func device_uid() -> String:
	var stored := ""
	if FileAccess.file_exists(DEVICE):
		stored = FileAccess.get_file_as_string(DEVICE).strip_edges()
	if stored.length() == 32 and stored.is_valid_hex_number():
		return stored
	var fresh := random_id()
	_write(DEVICE, fresh)
	return fresh


static func random_id() -> String:
	return Crypto.new().generate_random_bytes(16).hex_encode()


static func is_opted_out() -> bool:
	return FileAccess.file_exists(OPT_OUT)


## Stores the choice, and deletes the device id and all records, whether the player opts out or in.
static func set_opted_out(is_out: bool) -> void:
	for record in all():
		remove(record.id)
	DirAccess.remove_absolute(DEVICE)
	if is_out:
		_write(OPT_OUT, "")
	else:
		DirAccess.remove_absolute(OPT_OUT)


static func save(record: Dictionary) -> void:
	# Write a new file and rename it, because a crash while writing would lose the session.
	var path := _path_of(record.id)
	if _write(path + ".new", JSON.stringify(record)):
		DirAccess.rename_absolute(path + ".new", path)


static func remove(id: String) -> void:
	if FileAccess.file_exists(_path_of(id)):
		DirAccess.remove_absolute(_path_of(id))


## Returns all readable records, and removes unreadable ones.
static func all() -> Array[Dictionary]:
	var records: Array[Dictionary] = []
	for file in DirAccess.get_files_at(FOLDER):
		if not file.begins_with("session-") or not file.ends_with(".json"):
			continue
		var path := FOLDER.path_join(file)
		var record: Variant = parse(FileAccess.get_file_as_string(path))
		if record is Dictionary and record.has_all(FIELDS) and record.queue is Array:
			records.append(record)
		else:
			DirAccess.remove_absolute(path)
	return records


## Parses JSON. Returns null if the text is invalid. (JSON.parse_string would write an error to the
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
