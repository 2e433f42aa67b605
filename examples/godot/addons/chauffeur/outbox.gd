## Sends the queued events in batches, one at a time, and repeats each batch until the server
## responds.
extends Node

## Emitted after each response or failure.
signal settled

const MAX_QUEUED := 500
## Additional space for standard events, because launch health depends on them.
const RESERVED := 100
const MAX_IN_BATCH := 50
const FLUSH_MS := 5000
const MAX_RETRY_S := 300.0
const NEVER := 1 << 62
const STANDARD := ["session_start", "boot_ok", "first_input", "session_end", "quit", "crash"]
const Records := preload("res://addons/chauffeur/records.gd")

var endpoint := ""
var app_id := ""
## Items { build, event }: each event belongs to the build in which it happened.
var queue: Array = []

var _http := HTTPRequest.new()
## The number of items at the front of the queue that are being sent.
var _sending := 0
var _failures := 0
var _send_at := NEVER
var _not_before := 0


func _ready() -> void:
	_http.timeout = 20.0
	_http.use_threads = not OS.has_feature("web")
	add_child(_http)
	_http.request_completed.connect(_on_completed)


func _process(_delta: float) -> void:
	if Time.get_ticks_msec() >= _send_at:
		_send()


func add(build: String, event: Dictionary) -> void:
	if queue.size() >= MAX_QUEUED + (RESERVED if event.event in STANDARD else 0):
		return
	queue.append({"build": build, "event": event})
	send_within(FLUSH_MS if queue.size() < MAX_IN_BATCH else 0)


func send_within(ms: int) -> void:
	_send_at = mini(_send_at, maxi(Time.get_ticks_msec() + ms, _not_before))


## Deletes all queued events and cancels the current request.
func clear() -> void:
	queue = []
	if _sending > 0:
		_http.cancel_request()
		_sending = 0


func _send() -> void:
	_send_at = NEVER
	if _sending > 0 or queue.is_empty():
		return
	var build: String = queue[0].build
	var events: Array = []
	for item: Dictionary in queue.slice(0, MAX_IN_BATCH):
		if item.build != build:
			break
		events.append(item.event)
	_sending = events.size()
	var ids := ["X-App-Id: " + app_id, "X-Build-Id: " + build]
	var headers := PackedStringArray(["Content-Type: application/json"] + ids)
	var body := JSON.stringify({"events": events})
	var error := _http.request(endpoint, headers, HTTPClient.METHOD_POST, body)
	if error != OK:
		_retry_later(0.0)


func _on_completed(
	_result: int, status: int, headers: PackedStringArray, body: PackedByteArray
) -> void:
	var response: Variant = Records.parse(body.get_string_from_utf8())
	if status == 202:
		queue = queue.slice(_sending)
	elif status >= 400 and status < 500 and not status in [408, 429] and _is_envelope(response):
		_drop_rejected(response)
	else:
		_retry_later(_retry_after(headers))
		settled.emit()
		return
	_sending = 0
	_failures = 0
	if not queue.is_empty():
		send_within(0)
	settled.emit()


## Returns whether the response is from the server, rather than from a proxy or a captive portal.
func _is_envelope(response: Variant) -> bool:
	return response is Dictionary and response.get("success") is bool


## If one event of a batch is invalid, the server names it, and the others are sent again.
func _drop_rejected(response: Dictionary) -> void:
	push_warning("Chauffeur rejected events: %s" % [response.get("error")])
	var data: Variant = response.get("data")
	var index: int = int(data.get("index", -1)) if data is Dictionary else -1
	if index >= 0 and index < _sending:
		queue.remove_at(index)
	else:
		queue = queue.slice(_sending)


func _retry_later(at_least_s: float) -> void:
	_sending = 0
	_failures += 1
	var back_off := minf(MAX_RETRY_S, pow(2.0, mini(_failures, 10))) * randf_range(0.5, 1.0)
	_not_before = Time.get_ticks_msec() + int(1000.0 * maxf(back_off, minf(at_least_s, 3600.0)))
	send_within(0)


func _retry_after(headers: PackedStringArray) -> float:
	for header in headers:
		if header.to_lower().begins_with("retry-after:"):
			return header.get_slice(":", 1).strip_edges().to_float()
	return 0.0
