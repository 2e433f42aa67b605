import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '@chauffeur/contract/errors';
import { bytesOfBuffer } from '../../kernel/blobs/byte-source.ts';
import { SECOND } from '../../kernel/clock.ts';
import { DEFERRED_LIMITS, DeferredSpace } from './space.ts';

const { all, ofKey } = DEFERRED_LIMITS;

function makeSpace() {
  const stored = new Set<string>();
  let now = 0;
  const list = async function* () {
    for (const key of stored) yield { key };
  };
  const space = new DeferredSpace(list, { now: () => new Date(now) });
  let made = 0;
  return {
    space,
    stored,
    wait: () => {
      now += SECOND;
    },
    async defer(key: string, bytes: number): Promise<void> {
      made += 1;
      const place = space.take(key, String(made));
      try {
        for await (const _ of place.counted(bytesOfBuffer(Buffer.alloc(bytes))));
      } catch (error) {
        place.give();
        throw error;
      }
      stored.add(String(made));
      place.keep();
    },
  };
}

describe('the room for deferred requests', () => {
  it('of a key ends with its number of blobs, until they are taken', async () => {
    const { space, stored, wait, defer } = makeSpace();
    for (let n = 0; n < ofKey.blobs; n += 1) await defer('a', 1);
    assert.deepEqual([await space.hasRoomFor('a'), await space.hasRoomFor('b')], [false, true]);
    wait();
    assert.equal(await space.hasRoomFor('a'), false);
    stored.delete('1');
    wait();
    assert.equal(await space.hasRoomFor('a'), true);
  });

  it('of all keys ends with their number of blobs', async () => {
    const { space, defer } = makeSpace();
    for (let n = 0; n < all.blobs; n += 1) await defer(`key ${n}`, 1);
    assert.equal(await space.hasRoomFor('another'), false);
  });

  it('ends while requests arrive at the same time', async () => {
    const { space } = makeSpace();
    const places = Array.from({ length: 2 }, (_, n) => space.take('a', String(n)));
    const half = Buffer.alloc(ofKey.bytes / 2);
    const streams = places.map((place) => place.counted(bytesOfBuffer(half)));
    await Promise.all(streams.map((stream) => stream.next()));
    const third = space.take('a', '3');
    await assert.rejects(third.counted(bytesOfBuffer(Buffer.alloc(1))).next(), (error) =>
      isError(error, 'unavailable'),
    );
    assert.equal(await space.hasRoomFor('a'), false);
    for (const place of [...places, third]) place.give();
    assert.equal(await space.hasRoomFor('a'), true);
  });

  it('does not end for requests that are still written while others are looked up', async () => {
    const { space, wait, defer, stored } = makeSpace();
    for (let n = 1; n < ofKey.blobs; n += 1) await defer('a', 1);
    space.take('a', 'in progress');
    stored.clear();
    wait();
    assert.equal(await space.hasRoomFor('a'), true);
    for (let n = 1; n < ofKey.blobs; n += 1) await defer('a', 1);
    assert.equal(await space.hasRoomFor('a'), false);
  });
});
