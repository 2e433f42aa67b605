import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import { examine } from '../src/ship/scans/examine.ts';
import { scanZip } from '../src/ship/scans/scan-zip.ts';
import { inspectZip } from '../src/ship/scans/scans.ts';
import { buildZip, ordinaryPieces, storeZip } from './setup/zips.ts';

/** A change to the bytes of a zip. Positions and lengths are fractions of the whole, from 0 to 1. */
type Mutation =
  | { kind: 'flip'; at: number; bit: number }
  | { kind: 'set'; at: number; bytes: Uint8Array }
  | { kind: 'cut'; at: number }
  | { kind: 'splice'; from: number; length: number; to: number };

const part = fc.double({ min: 0, max: 1, noNaN: true });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: part, bit: fc.nat(7) }),
  // Fields of a zip that are all ones or zeros have a special meaning.
  fc.record({
    kind: fc.constant('set' as const),
    at: part,
    bytes: fc.constantFrom(
      ...['ffffffff', '00000000', '504b0304', '504b0506', '0100'].map((hex) =>
        Uint8Array.from(Buffer.from(hex, 'hex')),
      ),
    ),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: part }),
  fc.record({ kind: fc.constant('splice' as const), from: part, length: part, to: part }),
);

function mutate(zip: Buffer, change: Mutation): Buffer {
  const place = (share: number) => Math.floor(share * (zip.length - 1));
  const changed = Buffer.from(zip);
  switch (change.kind) {
    case 'flip':
      changed[place(change.at)]! ^= 1 << change.bit;
      return changed;
    case 'set':
      changed.set(change.bytes.subarray(0, zip.length - place(change.at)), place(change.at));
      return changed;
    case 'cut':
      return changed.subarray(0, place(change.at));
    case 'splice': {
      const piece = zip.subarray(place(change.from), place(change.from) + place(change.length) / 4);
      return Buffer.concat([zip.subarray(0, place(change.to)), piece, zip.subarray(place(change.to))]);
    }
  }
}

const pieces = [...ordinaryPieces(), { name: 'link', data: 'game.exe', mode: 0o120777 }];
const ZIPS = [
  buildZip(pieces, { comment: 'made for a test' }),
  buildZip(
    pieces.map((piece) => ({ ...piece, zip64: true })),
    { zip64: true },
  ),
];
const mutated = fc
  .tuple(fc.constantFrom(...ZIPS), fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([zip, changes]) => changes.reduce((bytes, change) => (bytes.length > 30 ? mutate(bytes, change) : bytes), zip));

it('returns a report for every mutated zip and finds no altered content in it', {
  timeout: 120_000,
}, async (t) => {
  const whole = await storeZip(ZIPS[0]!);
  t.after(whole.remove);
  const original = (await scanZip(whole.store, whole.key, whole.size, null)).entries;
  await fc.assert(
    fc.asyncProperty(mutated, async (bytes) => {
      const { store, key, size, remove } = await storeZip(bytes);
      try {
        const { outcome, detail, entries } = await scanZip(store, key, size, null);
        if (outcome === 'failed') return assert.match(detail ?? '', /^The .*[^.]\.$/s);
        assert.equal(outcome, 'unscanned');
        // A flipped bit in a name or mode can pass; content that passes matches its CRC-32.
        const expected = new Set([...original.map((entry) => entry.sha256), hash('sha256', '')]);
        assert.ok(entries.every(({ sha256 }) => expected.has(sha256)));
      } finally {
        await remove();
      }
    }),
    { numRuns: 500, interruptAfterTimeLimit: 60_000 },
  );
});

it('neither throws nor hangs when the threads process a mutated zip', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async (bytes) => {
      const { settings, key, size, remove } = await storeZip(bytes);
      try {
        const refusal = await inspectZip(settings, key);
        const examination = await examine({
          blobSettings: settings,
          key,
          content: 'zip',
          size,
          manifest: null,
          scanner: null,
          timeoutMs: 20_000,
        });
        if (refusal !== null) assert.deepEqual([examination.outcome, examination.detail], ['failed', refusal.reason]);
      } finally {
        await remove();
      }
    }),
    { numRuns: 20, interruptAfterTimeLimit: 60_000 },
  );
});
