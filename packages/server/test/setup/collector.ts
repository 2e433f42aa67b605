// A collector of traces: receives OTLP over HTTP, and reads the fields of the spans (opentelemetry-proto, trace.proto).
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  attributes: Record<string, string | number | boolean>;
  /** The span ids of its links. */
  links: string[];
  failed: boolean;
};

export type Collector = {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Everything that was received, as text. */
  text(): string;
  /** From now on, requests get no response. */
  hang(): void;
  stop(): Promise<void>;
};

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  let hangs = false;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (hangs) return;
    bodies.push(body);
    spans.push(...readSpans(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    hang: () => {
      hangs = true;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** ExportTraceServiceRequest: resource_spans (1), scope_spans (2), spans (2). */
function readSpans(request: Buffer): ReceivedSpan[] {
  return messages(request, 1)
    .flatMap((resourceSpans) => messages(resourceSpans, 2))
    .flatMap((scopeSpans) => messages(scopeSpans, 2))
    .map(readSpan);
}

function readSpan(span: Buffer): ReceivedSpan {
  const hex = (field: number) => (messages(span, field)[0] ?? Buffer.alloc(0)).toString('hex');
  const [status] = messages(span, 15);
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: textOf(span, 5),
    attributes: Object.fromEntries(
      messages(span, 9).map((pair) => [textOf(pair, 1), readValue(messages(pair, 2)[0]!)]),
    ),
    links: messages(span, 13).map((link) => messages(link, 2)[0]!.toString('hex')),
    failed: status !== undefined && fieldsOf(status).some(({ field, value }) => field === 3 && value === 2n),
  };
}

/** AnyValue: string_value (1), bool_value (2), int_value (3), double_value (4). */
function readValue(value: Buffer): string | number | boolean {
  const [{ field, value: content }] = fieldsOf(value) as [Field];
  if (content instanceof Buffer) return field === 4 ? content.readDoubleLE() : content.toString();
  return field === 2 ? content === 1n : Number(content);
}

function textOf(message: Buffer, field: number): string {
  return (messages(message, field)[0] ?? Buffer.alloc(0)).toString();
}

/** The bytes of each occurrence of a field. */
function messages(message: Buffer, wanted: number): Buffer[] {
  return fieldsOf(message).flatMap(({ field, value }) => (field === wanted && value instanceof Buffer ? [value] : []));
}

type Field = { field: number; value: Buffer | bigint };

/** The fields of a protobuf message (https://protobuf.dev/programming-guides/encoding/). */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  };
  const take = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = Number(varint());
    const [field, type] = [key >> 3, key & 7];
    if (type === 0) fields.push({ field, value: varint() });
    else fields.push({ field, value: take(type === 1 ? 8 : type === 5 ? 4 : Number(varint())) });
  }
  return fields;
}
