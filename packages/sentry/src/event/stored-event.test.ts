import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inPieces, listRequests, REQUESTS_MISSING, readRequest, receive } from '../../test/requests.ts';
import { formatAddress } from '../ids.ts';
import type { SentryEvent, StoredEvent } from './event.ts';
import { normalizeEvent } from './normalize.ts';
import { readEvent, writeEvent } from './stored-event.ts';

/** What is left of an event once it was stored. */
function keptOf({ eventId, tags, extra, userId, feedback, ...kept }: SentryEvent): StoredEvent {
  return kept;
}

const WHOLE = normalizeEvent({
  event_id: '0123456789abcdef0123456789abcdef',
  exception: [
    {
      type: 'SIGSEGV',
      mechanism: { type: 'signalhandler', handled: false, meta: { signal: { number: 11 } } },
      stacktrace: {
        frames: [
          { instruction_addr: '0xffffffffffffffff' },
          { function: 'f', lineno: 7, in_app: false, context_line: 'x = 1' },
        ],
        registers: { rip: '0x1' },
      },
    },
  ],
  threads: [{ id: 1, crashed: true, stacktrace: { frames: [{ instruction_addr: '0x2', addr_mode: 'rel:0' }] } }],
  debug_meta: { images: [{ type: 'elf', image_addr: '0x7fb36c019000', image_size: 4096 }, {}] },
  breadcrumbs: [{}, { message: 'a door', data: { open: false, hinges: 0 } }],
  contexts: { feedback: { message: 'it broke' }, os: { name: 'Linux' } },
  extra: { address: 'not one', nested: { address: '0x5' } },
  tags: { address: '0x1' },
});

describe('readEvent', () => {
  it('reads what was written, with addresses of 64 bits', () => {
    assert.deepEqual(readEvent(writeEvent(WHOLE)), keptOf(WHOLE));
    assert.equal(WHOLE.exceptions[0]?.stack.frames[1]?.address, 2n ** 64n - 1n);
  });

  it('reads an event with nothing in it', () => {
    const empty = normalizeEvent({});
    assert.deepEqual(readEvent(writeEvent(empty)), keptOf(empty));
  });

  it('reads any event', () => {
    const value = fc.oneof(
      fc.constantFrom('', null, 0, false, true, '0x10', 'rel:1', [], {}),
      fc.string(),
      fc.double(),
    );
    const frame = fc.dictionary(
      fc.constantFrom(
        'function',
        'filename',
        'abs_path',
        'lineno',
        'in_app',
        'instruction_addr',
        'context_line',
        'package',
      ),
      value,
    );
    const stacktrace = fc.record({ frames: fc.array(frame), registers: fc.dictionary(fc.constantFrom('rip'), value) });
    const exception = fc.record(
      { type: value, value, module: value, thread_id: value, stacktrace, mechanism: fc.object() },
      { requiredKeys: [] },
    );
    const event = fc.record(
      {
        exception: fc.array(exception),
        threads: fc.array(fc.record({ id: value, name: value, crashed: value, stacktrace })),
        debug_meta: fc.record({ images: fc.array(fc.record({ type: value, code_file: value, image_addr: value })) }),
        breadcrumbs: fc.array(fc.record({ message: value, category: value, timestamp: value, data: fc.object() })),
        tags: fc.object(),
        extra: fc.object(),
        contexts: fc.record({ feedback: fc.record({ message: value, name: value }) }, { requiredKeys: [] }),
        user: fc.object(),
        fingerprint: fc.array(value),
        release: value,
        message: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(event, (sent) => {
        // JSON has neither -0 nor undefined.
        const normal = normalizeEvent(JSON.parse(JSON.stringify(sent)));
        assert.deepEqual(readEvent(writeEvent(normal)), keptOf(normal));
      }),
      { numRuns: 100 },
    );
  });

  it('has nothing of the user, the tags and what programs add', () => {
    const text = writeEvent(
      normalizeEvent({ user: { id: 'ann@example.com' }, tags: { who: 'ann' }, extra: { who: 'ann' }, message: 'hey' }),
    );
    assert.doesNotMatch(text, /ann/);
  });

  it('reads events whose empty fields were written, too', () => {
    const whole = JSON.stringify({ version: 1, event: keptOf(WHOLE) }, (_, value: unknown) =>
      typeof value === 'bigint' ? formatAddress(value) : value,
    );
    assert.deepEqual(readEvent(whole), keptOf(WHOLE));
  });

  it('throws for anything else', () => {
    for (const text of ['', '{}', '{"version":1}', '{"version":2}', 'null', '[]'])
      assert.throws(() => readEvent(text), SyntaxError, text);
  });

  it('reads the events of recorded requests', { skip: REQUESTS_MISSING }, async () => {
    let events = 0;
    for (const name of listRequests()) {
      const { body, headers } = readRequest(name);
      const { items } = await receive(inPieces(body), headers['content-encoding']);
      for (const { type, value } of items) {
        if (type !== 'event' && type !== 'feedback') continue;
        events += 1;
        const event = normalizeEvent(value);
        assert.deepEqual(readEvent(writeEvent(event)), keptOf(event), name);
      }
    }
    assert.ok(events > 10);
  });
});
