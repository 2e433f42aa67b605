import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeEvent } from './event/normalize.ts';
import { chainOf, fingerprintKey } from './grouping.ts';
import { hasAddresses, ImageMap, nativeFrames } from './native-stack.ts';

const frames = (...names: readonly string[]) => ({
  frames: names.map((name) => ({ function: name, in_app: true })).reverse(),
});

const summary = (sent: object) => {
  const chain = chainOf(normalizeEvent(sent));
  return (
    chain && [chain.language, chain.main.type, ...chain.related.map(({ type, relation }) => `${type} ${relation}`)]
  );
};

describe('chainOf', () => {
  it('takes the root cause, then what it led to, the nearest first', () => {
    const exception = [
      { type: 'Root', stacktrace: frames('c') },
      { type: 'Middle', stacktrace: frames('b') },
      { type: 'Thrown', stacktrace: frames('a') },
    ];
    assert.deepEqual(summary({ platform: 'java', exception }), [
      'java',
      'Root',
      'Middle consequence',
      'Thrown consequence',
    ]);
  });

  it('takes names that every object of JavaScript has as any other', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const stacktrace = { frames: [{ function: 'a', platform: name }] };
      const event = normalizeEvent({
        platform: name,
        exception: [{ type: 'E', stacktrace }],
        debug_meta: { images: [{ type: name }] },
      });
      assert.deepEqual(
        [chainOf(event)?.language, event.images[0]?.type, event.system.os],
        ['other', name.toLowerCase(), ''],
      );
    }
  });

  it('leaves out what was only handled, and siblings', () => {
    const link = (exception_id: number, parent_id?: number, more = {}) => ({ exception_id, parent_id, ...more });
    const exception = [
      { type: 'Handled', mechanism: link(3, 0, { source: '__context__' }), stacktrace: frames('d') },
      { type: 'Second', mechanism: link(2, 0), stacktrace: frames('c') },
      { type: 'First', mechanism: link(1, 0), stacktrace: frames('b') },
      { type: 'Group', mechanism: link(0), stacktrace: frames('a') },
    ];
    assert.deepEqual(summary({ platform: 'python', exception }), [
      'python',
      'First',
      'Group consequence',
      'Second sibling',
      'Handled handled',
    ]);
  });

  it('takes the stack of the thread if no exception has one, and of a message', () => {
    const threads = [{ id: 1, current: true, stacktrace: frames('a') }];
    const ofError = chainOf(normalizeEvent({ exception: [{ type: 'Os' }], threads }));
    const ofMessage = chainOf(normalizeEvent({ message: 'hello', threads }));
    assert.deepEqual([ofError?.main.type, ofError?.main.stack.frames[0]?.function], ['Os', 'a']);
    assert.deepEqual([ofMessage?.main.type, ofMessage?.main.value], ['', 'hello']);
    assert.equal(chainOf(normalizeEvent({ message: 'hello' })), null);
  });

  it('gives a root cause without a stack that of its consequence', () => {
    const chain = chainOf(
      normalizeEvent({ platform: 'go', exception: [{ type: 'Root' }, { type: 'Thrown', stacktrace: frames('a') }] }),
    );
    assert.deepEqual([chain?.main.type, chain?.main.stack.frames[0]?.function], ['Root', 'a']);
  });

  it('knows the language of frames within another one', () => {
    const script = { frames: [{ function: 'f', filename: 'res://a.gd', in_app: true, platform: 'gdscript' }] };
    assert.equal(summary({ platform: 'native', exception: [{ type: 'A', stacktrace: script }] })?.[0], 'gdscript');
    const managed = {
      frames: [{ function: 'f', filename: 'A.cs', platform: 'c#', in_app: true }, { instruction_addr: '0x1' }],
    };
    assert.equal(summary({ platform: 'native', exception: [{ type: 'A', stacktrace: managed }] })?.[0], 'csharp');
    assert.equal(summary({ platform: 'pascal', exception: [{ type: 'A', stacktrace: frames('a') }] })?.[0], 'other');
  });
});

describe('fingerprintKey', () => {
  const fingerprintOf = (fingerprint: unknown) => normalizeEvent({ fingerprint }).fingerprint;

  it('is the same for equal fingerprints, and depends on the usual key only where it says so', () => {
    const fixed = fingerprintOf(['login', 42])!;
    assert.equal(fingerprintKey(fixed, 'a'), fingerprintKey(fixed, 'b'));
    const extended = fingerprintOf(['{{default}}', 'login'])!;
    assert.notEqual(fingerprintKey(extended, 'a'), fingerprintKey(extended, 'b'));
    assert.notEqual(fingerprintKey(fixed, 'a'), fingerprintKey(extended, 'a'));
  });

  it('can not be forged by a part that looks like the usual key', () => {
    assert.notEqual(fingerprintKey(['{{ default }}'], 'a'), fingerprintKey(['a'], 'a'));
  });

  it('is not needed for the usual grouping', () => {
    for (const sent of [undefined, null, [], ['{{ default }}'], ['{{default}}'], [null], {}, 5])
      assert.equal(fingerprintOf(sent), null);
  });
});

describe('nativeFrames', () => {
  const event = normalizeEvent({
    exception: [
      {
        type: 'SIGSEGV',
        stacktrace: {
          frames: [{ instruction_addr: '0x5000' }, { instruction_addr: '0x2100' }, { instruction_addr: '0x1010' }],
        },
      },
    ],
    debug_meta: {
      images: [
        { type: 'elf', code_file: 'b', image_addr: '0x2000', image_size: 4096 },
        { type: 'elf', code_file: 'a', image_addr: '0x1000', image_size: 4096 },
        { type: 'elf', code_file: 'no address' },
      ],
    },
  });
  const { stack } = event.exceptions[0]!;

  it('finds the image of each address, and looks before a return address', () => {
    const images = new ImageMap(event.images);
    const found = nativeFrames(stack, images, { isCrashed: true });
    assert.deepEqual(
      found.map(({ image, offset }) => [image?.file, offset]),
      [
        ['a', 0x10n],
        ['b', 0xffn],
        [undefined, null],
      ],
    );
    assert.equal(nativeFrames(stack, images, { isCrashed: false })[0]?.offset, 0xfn);
    assert.equal(hasAddresses(stack), true);
  });
});
