import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeEvent } from './normalize.ts';
import { readEvent, writeEvent } from './stored-event.ts';

describe('readEvent', () => {
  it('reads what was written, with addresses of 64 bits', () => {
    const event = normalizeEvent({
      event_id: '0123456789abcdef0123456789abcdef',
      exception: [
        {
          type: 'SIGSEGV',
          stacktrace: {
            frames: [{ instruction_addr: '0xffffffffffffffff' }, { function: 'f' }],
            registers: { rip: '0x1' },
          },
        },
      ],
      debug_meta: { images: [{ type: 'elf', image_addr: '0x7fb36c019000', image_size: 4096 }] },
      extra: { address: 'not one', nested: { address: '0x5' } },
      tags: { address: '0x1' },
    });
    assert.deepEqual(readEvent(writeEvent(event)), event);
    assert.equal(event.exceptions[0]?.stack.frames[1]?.address, 2n ** 64n - 1n);
  });

  it('throws for anything else', () => {
    for (const text of ['', '{}', '{"version":2}']) assert.throws(() => readEvent(text), SyntaxError);
  });
});
