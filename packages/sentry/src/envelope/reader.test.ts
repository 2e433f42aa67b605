import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { collect, inPieces, receive } from '../../test/requests.ts';
import { collectBody } from './collect.ts';
import { ENVELOPE_LIMITS, EnvelopeReader } from './reader.ts';

type Read = { readonly type: string; readonly payload: string; readonly isWhole: boolean };

async function readAll(text: string | Uint8Array, size?: number, limits = ENVELOPE_LIMITS) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const reader = new EnvelopeReader(inPieces(bytes, size), limits);
  const items: Read[] = [];
  for await (const item of reader.items()) {
    const payload = (await collect(item.bytes)).toString();
    items.push({ type: item.type, payload, isWhole: item.isWhole() });
  }
  return { header: await reader.header(), items, badLines: reader.badLines, hasMoreItems: reader.hasMoreItems };
}

const payloadsOf = async (text: string, size?: number) =>
  (await readAll(text, size)).items.map(({ type, payload }) => `${type} ${payload}`);

describe('EnvelopeReader', () => {
  const cases: readonly (readonly [what: string, text: string, payloads: readonly string[]])[] = [
    [
      'items with a length',
      '{}\n{"type":"event","length":2}\n{}\n{"type":"attachment","length":3}\na\nb\n',
      ['event {}', 'attachment a\nb'],
    ],
    [
      'items without a length',
      '{}\n{"type":"event"}\n{"a":1}\n{"type":"session"}\n{"b":2}',
      ['event {"a":1}', 'session {"b":2}'],
    ],
    ['an empty payload', '{}\n{"type":"attachment","length":0}\n\n{"type":"event"}\n{}', ['attachment ', 'event {}']],
    ['an item without a payload at the end', '{}\n{"type":"attachment","length":0}', ['attachment ']],
    [
      'Windows line breaks and blank lines',
      '{}\r\n\r\n{"type":"attachment","length":1}\r\na\r\n\r\n{"type":"event"}\r\n{}\r\n',
      ['attachment a', 'event {}\r'],
    ],
    [
      'no line break after a payload with a length',
      '{}\n{"type":"attachment","length":1}\na{"type":"event"}\n{}',
      ['attachment a', 'event {}'],
    ],
    [
      'a length in characters',
      '{}\n{"type":"event","length":9}\n{"a":"▶"}\n{"type":"session"}\n{}',
      ['event {"a":"▶"}', 'session {}'],
    ],
    ['a length as a text', '{}\n{"type":"event","length":"2"}\n{}\n', ['event {}']],
    [
      'a length that makes no sense',
      '{}\n{"type":"event","length":-1}\n{}\n{"type":"event","length":1e99}\n[]',
      ['event {}', 'event []'],
    ],
    [
      'a path with single backslashes',
      '{}\n{"type":"attachment","length":1,"filename":"C:\\Users\\x.dmp"}\na',
      ['attachment a'],
    ],
    ['a line that is not a header', '{}\nwhat?\n{"length":1}\n{"type":1}\n{"type":"event"}\n{}', ['event {}']],
    ['a first line that is not a header', 'what?\n{"type":"event"}\n{}', ['event {}']],
    ['an unknown type', '{}\n{"type":"hologram","length":1}\na\n{"type":"event"}\n{}', ['hologram a', 'event {}']],
    ['nothing', '', []],
  ];
  for (const [what, text, payloads] of cases) {
    it(`reads ${what}`, async () => {
      for (const size of [1, 2, 5, 1000]) assert.deepEqual(await payloadsOf(text, size), payloads);
    });
  }

  it('passes payloads on in the pieces in which they came, without a copy', async () => {
    const bytes = Buffer.from('{}\n{"type":"attachment","length":4}\nabcd');
    for await (const item of new EnvelopeReader(inPieces(bytes)).items())
      for await (const piece of item.bytes) assert.equal(piece.buffer, bytes.buffer);
  });

  it('skips what of a payload is not read', async () => {
    const bytes = Buffer.from('{}\n{"type":"attachment","length":9}\n{"type":1\n{"type":"event"}\n{}');
    const types: string[] = [];
    for await (const { type } of new EnvelopeReader(inPieces(bytes, 4)).items()) types.push(type);
    assert.deepEqual(types, ['attachment', 'event']);
  });

  it('leaves further items unread', async () => {
    const { items, hasMoreItems } = await readAll(`{}\n${'{"type":"event"}\n{}\n'.repeat(10)}`, 1000, {
      ...ENVELOPE_LIMITS,
      maxItems: 4,
    });
    assert.deepEqual([items.length, hasMoreItems], [4, true]);
  });

  it('skips a header that is too long', async () => {
    const long = JSON.stringify({ type: 'event', x: 'x'.repeat(ENVELOPE_LIMITS.maxHeaderBytes) });
    const { items, badLines } = await readAll(`${long}\n${long}\n{"type":"event"}\n{}`);
    assert.deepEqual([items.map(({ payload }) => payload), badLines], [['{}'], 1]);
  });

  it('keeps everything before a cut, at every byte', async () => {
    const files = ['first', 'second file\n{"type":"event"}\nwith lines'];
    const text = [
      '{"event_id":"0123456789abcdef0123456789abcdef"}',
      '{"type":"event","length":17}',
      '{"message":"hey"}',
      ...files.flatMap((file) => [JSON.stringify({ type: 'attachment', length: file.length, filename: 'a' }), file]),
      '{"type":"session"}',
      '{"sid":"1"}',
    ].join('\n');
    const whole = await receive(inPieces(Buffer.from(text)));
    assert.deepEqual(
      whole.files.map(({ bytes }) => bytes.toString()),
      files,
    );
    assert.equal(whole.items.length, 2);
    const ends = {
      event: text.indexOf('hey"}') + 5,
      first: text.indexOf('first') + 5,
      second: text.indexOf('with lines') + 10,
    };
    for (let cut = 0; cut <= text.length; cut += 1) {
      const { items, files: kept, failure } = await receive(inPieces(Buffer.from(text.slice(0, cut)), 11));
      assert.equal(failure, undefined);
      assert.equal(
        items.some(({ type }) => type === 'event'),
        cut >= ends.event,
        `cut at ${cut}`,
      );
      const expected = [...(cut >= ends.first ? [files[0]] : []), ...(cut >= ends.second ? [files[1]] : [])];
      assert.deepEqual(
        kept.map(({ bytes }) => bytes.toString()),
        expected,
        `cut at ${cut}`,
      );
    }
  });

  it('ends, and throws nothing, for any bytes', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{}',
        '\n',
        '\r\n',
        '{"type":"event"}',
        '{"type":"attachment","length":5}',
        '{"type":"event","length":1}',
        '"',
        '{',
        '\\',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), async (pieces, size) => {
        const bytes = Buffer.from(pieces.join(''));
        const { items } = await readAll(bytes, size);
        assert.ok(items.reduce((sum, { payload }) => sum + payload.length, 0) <= 2 * bytes.length);
        assert.deepEqual(items, (await readAll(bytes)).items);
      }),
      { numRuns: 300 },
    );
  });
});

describe('collectEnvelope', () => {
  it('keeps event and dump, and leaves out an attachment that is too large', async () => {
    const head = '{}\n{"type":"event"}\n{"message":"hey"}\n{"type":"attachment","length":20000000,"filename":"log"}\n';
    const tail = '\n{"type":"attachment","length":4,"attachment_type":"event.minidump","filename":"a.dmp"}\nMDMP';
    const body = Buffer.concat([Buffer.from(head), Buffer.alloc(20_000_000), Buffer.from(tail)]);
    const { items, files, dropped } = await receive(inPieces(body, 65_536));
    assert.deepEqual([items.length, files.map(({ kind }) => kind)], [1, ['minidump']]);
    assert.deepEqual(dropped, [{ type: 'attachment', reason: 'too_large', quantity: 1 }]);
  });

  it('counts an event that is too large or not JSON, and keeps the rest', async () => {
    const large = `{"x":"${'x'.repeat(9 * 1024 * 1024)}"}`;
    const body = Buffer.from(`{}\n{"type":"event"}\n${large}\n{"type":"event"}\n{"a"\n{"type":"session"}\n{"sid":"1"}`);
    const { items, dropped } = await receive(inPieces(body, 65_536));
    assert.deepEqual(
      items.map(({ type }) => type),
      ['session'],
    );
    assert.deepEqual(dropped, [
      { type: 'event', reason: 'too_large', quantity: 1 },
      { type: 'event', reason: 'unreadable', quantity: 1 },
    ]);
  });

  it('reads no more of a large event until there is memory for it, and frees that afterwards', async () => {
    const { promise: entered, resolve: begin } = Promise.withResolvers<() => void>();
    let sent = 0;
    let left = 0;
    const text = `{"message":"${'x'.repeat(2_000_000)}"}`;
    async function* body() {
      for await (const piece of inPieces(Buffer.from(`{}\n{"type":"event"}\n${text}\n`), 65_536)) {
        sent += piece.length;
        yield piece;
      }
    }
    const waits = Promise.withResolvers<void>();
    const reading = collectBody(body(), undefined, {
      keepFile: async () => null,
      large: {
        enter: () => {
          waits.resolve();
          return entered;
        },
        maxArrivalMs: 60_000,
        read: async (bytes) => ({ eventId: 'e1', size: bytes.length }),
      },
    });
    await waits.promise;
    const sentBefore = sent;
    begin(() => {
      left += 1;
    });
    const { items, eventId } = await reading;
    assert.ok(sentBefore < 400_000, String(sentBefore));
    assert.deepEqual([items.length, items[0]!.event?.size, eventId, left], [1, text.length, 'e1', 1]);
  });

  for (const [name, size, maxArrivalMs] of [
    ['arrives too slowly', 2_000_000, -1],
    ['is too large', 9 * 1024 * 1024, 60_000],
  ] as const)
    it(`lets others have the memory of a large event that ${name}, and keeps the rest`, async () => {
      let sent = 0;
      let leftAt: number | undefined;
      async function* body() {
        const text = `{}\n{"type":"event"}\n{"message":"${'x'.repeat(size)}"}\n{"type":"session"}\n{"sid":"1"}\n`;
        for await (const piece of inPieces(Buffer.from(text), 65_536)) {
          sent += piece.length;
          yield piece;
        }
      }
      const { items, dropped } = await collectBody(body(), undefined, {
        keepFile: async () => null,
        large: {
          enter: async () => () => {
            leftAt ??= sent;
          },
          maxArrivalMs,
          read: async () => assert.fail('it is read'),
        },
      });
      assert.ok(leftAt! < size, `${leftAt} of ${size}`);
      assert.ok(sent > size);
      assert.deepEqual(dropped, [{ type: 'event', reason: 'too_large', quantity: 1 }]);
      assert.deepEqual(
        items.map(({ type }) => type),
        ['session'],
      );
    });

  it('takes ten events at most', async () => {
    const { items, dropped } = await receive(
      inPieces(Buffer.from(`{}\n${'{"type":"event"}\n{"level":"fatal"}\n'.repeat(30)}`)),
    );
    assert.equal(items.length, 10);
    assert.deepEqual(dropped, [{ type: 'event', reason: 'too_many', quantity: 20 }]);
  });

  it('never counts by a name that the sender chose', async () => {
    const { dropped } = await receive(inPieces(Buffer.from('{}\n{"type":"__proto__"}\n1\n{"type":"<b>"}\n1')));
    assert.deepEqual(dropped, [{ type: 'unknown', reason: 'not_used', quantity: 2 }]);
  });
});

describe('the time for an envelope', () => {
  it('is linear for line breaks, braces and headers without end', async () => {
    const start = process.cpuUsage();
    for (const piece of [
      '\n',
      '\r\n',
      '{',
      '{}\n',
      '{"type":"event"}',
      '{"type":"event"}\n',
      '{"type":"attachment","length":0}\n',
    ])
      await receive(inPieces(Buffer.from(`{}\n${piece.repeat(8_000_000 / piece.length)}`), 65_536));
    assert.ok(process.cpuUsage(start).user < 5_000_000);
  });
});
