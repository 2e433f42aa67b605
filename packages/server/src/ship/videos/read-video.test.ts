// cspell:ignore cvid ebml encv ftyp isommp mdat moov mvhd soun trak vide
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  box,
  CLUSTER,
  EBML_HEADER,
  element,
  FTYP,
  largeBox,
  longMovieHeader,
  MDAT,
  movieHeader,
  mp4,
  pixels,
  readVideoFixture,
  track,
  VIDEO_NAMES,
  videoBytes,
  type WebmTrack,
  webm,
  webmInfo,
  webmTracks,
} from '../../../test/setup/videos.ts';
import { readVideo } from './read-video.ts';

const read = (bytes: Buffer) => readVideo(videoBytes(bytes));

async function refused(bytes: Buffer, reason: RegExp): Promise<void> {
  const reading = await read(bytes);
  assert.ok('refused' in reading, JSON.stringify(reading));
  assert.match(reading.refused, reason);
  assert.match(reading.refused, /A video is an MP4 .* or a WebM/);
}

const DAMAGED = /^damaged or cut off\. Export it again\./;

test('reads the size and the duration of real videos', async () => {
  const read426 = { width: 426, height: 240 };
  const expected = {
    'h264.mp4': { type: 'video/mp4', ...read426, seconds: 1 },
    'h264-moov-last.mp4': { type: 'video/mp4', ...read426, seconds: 1 },
    'h264-fragments.mp4': { type: 'video/mp4', ...read426, seconds: null },
    'h264-turned.mp4': { type: 'video/mp4', width: 240, height: 426, seconds: 1 },
    'vp9.mp4': { type: 'video/mp4', ...read426, seconds: 1 },
    'vp9.webm': { type: 'video/webm', ...read426, seconds: 1 },
    'vp8-live.webm': { type: 'video/webm', ...read426, seconds: null },
  };
  for (const name of VIDEO_NAMES) {
    const reading = await read(await readVideoFixture(name));
    assert.ok('seconds' in reading, JSON.stringify(reading));
    const seconds = reading.seconds === null ? null : Math.round(reading.seconds);
    assert.deepEqual({ ...reading, seconds }, expected[name], name);
  }
});

test('refuses whatever is neither an MP4 nor a WebM', async () => {
  for (const text of [
    '',
    'ftyp',
    '<!doctype html><script>alert(1)</script>',
    'PK\x03\x04',
    '\x89PNG\r\n\x1a\n',
    'RIFF',
  ])
    await refused(Buffer.from(text, 'latin1'), /^neither an MP4 nor a WebM\./);
});

describe('MP4', () => {
  it('needs a brand of MP4', async () => {
    const withBrands = (brands: string) =>
      Buffer.concat([box('ftyp', Buffer.from(brands, 'latin1')), box('moov', movieHeader(), track()), MDAT]);
    assert.ok('type' in (await read(withBrands('XXXX\0\0\0\0mp42'))));
    await refused(
      withBrands('qt  \0\0\0\0qt  '),
      /^a QuickTime movie, which not all browsers play\. Export it as MP4\./,
    );
    await refused(withBrands('heic\0\0\0\0mif1'), /^not an MP4 video\./);
    await refused(withBrands('XXXXmp42'), /^not an MP4 video\./);
    await refused(withBrands(''), /^not an MP4 video\./);
  });

  it('needs a track of a codec that all browsers play', async () => {
    for (const codec of ['avc1', 'avc3', 'vp09', 'av01'])
      assert.ok('type' in (await read(mp4(track({ codec })))), codec);
    await refused(mp4(track({ codec: 'hvc1' })), /^encoded with H\.265, which not all browsers play\./);
    await refused(mp4(track({ codec: 'encv' })), /^encoded with an encrypted codec,/);
    await refused(mp4(track({ codec: 'cvid' })), /^encoded with the codec cvid,/);
    await refused(mp4(track({ codec: '<b>\n' })), /^encoded with an unknown codec,/);
    await refused(mp4(track(), track({ handler: 'soun', codec: 'ac-3' })), /^encoded with AC-3,/);
    assert.ok('type' in (await read(mp4(track({ handler: 'soun', codec: 'mp4a' }), track()))));
    await refused(mp4(track({ handler: 'soun', codec: 'mp4a' })), /^without a video track\./);
    await refused(mp4(), /^without a video track\./);
  });

  it('refuses profiles of H.264 with more bits or colours', async () => {
    for (const profile of [110, 122, 244]) await refused(mp4(track({ profile })), /^encoded with a profile of H\.264/);
    await refused(mp4(track({ profile: null })), DAMAGED);
    assert.ok('type' in (await read(mp4(track({ codec: 'vp09', profile: null })))));
  });

  it('reads a size and a duration of 64 bits', async () => {
    const movie = (header: Buffer) => Buffer.concat([FTYP, largeBox('moov', Buffer.concat([header, track()])), MDAT]);
    const facts = { type: 'video/mp4', width: 640, height: 360 };
    assert.deepEqual(await read(movie(longMovieHeader(90_000n, 90_000))), { ...facts, seconds: 1 });
    assert.deepEqual(await read(movie(longMovieHeader(2n ** 64n - 1n, 90_000))), { ...facts, seconds: null });
    assert.deepEqual(await read(movie(movieHeader(2 ** 32 - 1))), { ...facts, seconds: null });
    assert.deepEqual(await read(movie(movieHeader(5, 0))), { ...facts, seconds: null });
    await refused(movie(longMovieHeader(2n ** 63n, 1)), /^longer than 60 minutes\./);
  });

  it('has boxes that follow each other to the end of the file', async () => {
    const valid = mp4(track());
    for (const after of [Buffer.from('PK\x03\x04 and more'), Buffer.alloc(3), Buffer.alloc(8, 1)])
      await refused(Buffer.concat([valid, after]), DAMAGED);
    for (const size of [0n, 15n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])
      await refused(Buffer.concat([valid, largeBox('free', Buffer.alloc(8), size)]), DAMAGED);
    const toTheEnd = Buffer.from(MDAT);
    toTheEnd.writeUInt32BE(0);
    assert.ok('type' in (await read(Buffer.concat([FTYP, box('moov', movieHeader(), track()), toTheEnd]))));
    await refused(Buffer.concat([FTYP, toTheEnd, box('moov', movieHeader(), track())]), DAMAGED);
  });

  it('has one movie and its data', async () => {
    const movie = box('moov', movieHeader(), track());
    await refused(Buffer.concat([FTYP, movie, movie, MDAT]), DAMAGED);
    await refused(Buffer.concat([FTYP, movie]), DAMAGED);
    await refused(Buffer.concat([FTYP, MDAT]), DAMAGED);
    await refused(Buffer.concat([box('free'), FTYP]), /^neither an MP4 nor a WebM\./);
  });

  it('is refused soon if it is made of too many or deeply nested boxes', { timeout: 20_000 }, async () => {
    await refused(Buffer.concat([FTYP, ...Array(30_000).fill(box('free'))]), /^made of too many parts\./);
    const many = Buffer.concat(Array(100_000).fill(box('trak')));
    await refused(Buffer.concat([FTYP, box('moov', many), MDAT]), /^made of too many tracks\./);
    let nested = box('moov');
    for (let depth = 0; depth < 2000; depth++) nested = box('moov', nested);
    await refused(Buffer.concat([FTYP, nested, MDAT]), /^without a video track\./);
  });

  it('has sides of 240 to 4096 pixels', async () => {
    await refused(mp4(track({ width: 640, height: 239 })), /^640×239 pixels are too few\./);
    await refused(mp4(track({ width: 4097, height: 2160 })), /^4097×2160 pixels are too many\./);
    await refused(mp4(track({ width: 0, height: 0 })), /^0×0 pixels are too few\./);
    assert.ok('type' in (await read(mp4(track({ width: 4096, height: 240 })))));
  });
});

describe('WebM', () => {
  it('needs a track of a codec that all browsers play', async () => {
    const withTracks = (...tracks: readonly WebmTrack[]) => webm(webmInfo(), webmTracks(...tracks), CLUSTER);
    for (const codec of ['V_VP8', 'V_VP9', 'V_AV1\0\0'])
      assert.ok('type' in (await read(withTracks({ codec }))), codec);
    await refused(withTracks({ codec: 'V_MPEG4/ISO/AVC' }), /^encoded with the codec V_MPEG4\/ISO\/AVC,/);
    await refused(withTracks({ codec: '<b>' }), /^encoded with an unknown codec,/);
    await refused(withTracks({}, { type: 2, codec: 'A_AAC' }), /^encoded with the codec A_AAC,/);
    assert.ok('type' in (await read(withTracks({ type: 2, codec: 'A_OPUS' }, {}))));
    await refused(withTracks({ type: 2, codec: 'A_OPUS' }), /^without a video track\./);
    await refused(withTracks({ more: element(0x6d80, Buffer.alloc(1)) }), /^encrypted,/);
  });

  it('is not another kind of Matroska', async () => {
    const header = element(0x1a45dfa3, element(0x4282, Buffer.from('matroska')));
    await refused(Buffer.concat([header, webm().subarray(EBML_HEADER.length)]), /^a Matroska video,/);
    await refused(Buffer.concat([element(0x1a45dfa3, Buffer.alloc(0)), webm()]), DAMAGED);
  });

  it('is as large as it is shown', async () => {
    const sizeOf = async (video: Buffer) => {
      const reading = await read(webm(webmInfo(), webmTracks({ video }), CLUSTER));
      return 'refused' in reading ? reading.refused : [reading.width, reading.height];
    };
    assert.deepEqual(await sizeOf(pixels(640, 368, { 21674: 8, 21708: 20 })), [620, 360]);
    assert.deepEqual(await sizeOf(pixels(720, 576, { 21680: 1024, 21690: 576 })), [1024, 576]);
    assert.deepEqual(await sizeOf(pixels(720, 576, { 21680: 16, 21690: 9, 21682: 3 })), [720, 576]);
    assert.match(String(await sizeOf(pixels(640, 360, { 21674: 500 }))), /^640×0 pixels are too few\./);
    assert.match(String(await sizeOf(Buffer.alloc(0))), /^0×0 pixels are too few\./);
  });

  it('may be a live recording, whose sizes are unknown', async () => {
    const live = Buffer.concat([
      EBML_HEADER,
      element(0x18538067, Buffer.alloc(0), null),
      element(0x1549a966, Buffer.alloc(0)),
      webmTracks({}),
      element(0x1f43b675, Buffer.alloc(16), null),
    ]);
    assert.deepEqual(await read(live), { type: 'video/webm', width: 640, height: 360, seconds: null });
    const unknownInfo = element(0x1549a966, Buffer.alloc(0), null);
    await refused(webm(unknownInfo, webmTracks({}), CLUSTER), DAMAGED);
  });

  it('ends with its segment, which has all that is needed before the first cluster', async () => {
    const valid = webm(webmInfo(), webmTracks({}), CLUSTER);
    await refused(Buffer.concat([valid, Buffer.from('PK\x03\x04')]), DAMAGED);
    await refused(webm(webmInfo(), CLUSTER, webmTracks({})), DAMAGED);
    await refused(webm(webmTracks({}), CLUSTER), DAMAGED);
    await refused(webm(webmInfo(), webmTracks({})), DAMAGED);
    for (const size of [2n ** 40n, 2n ** 55n, 2n ** 56n - 2n])
      await refused(webm(element(0xec, Buffer.alloc(4), size), webmInfo(), webmTracks({}), CLUSTER), DAMAGED);
  });

  it('has a duration that is a number', async () => {
    const withDuration = (duration: number) => webm(webmInfo(duration), webmTracks({}), CLUSTER);
    for (const [duration, seconds] of [
      [1500, 1.5],
      [0, null],
      [-5, null],
    ] as const)
      assert.deepEqual(await read(withDuration(duration)), { type: 'video/webm', width: 640, height: 360, seconds });
    await refused(withDuration(Number.NaN), DAMAGED);
    await refused(withDuration(Number.POSITIVE_INFINITY), /^longer than 60 minutes\./);
    await refused(withDuration(3_600_001), /^longer than 60 minutes\./);
  });

  it('is refused soon if it is made of too many elements', { timeout: 20_000 }, async () => {
    await refused(webm(...Array(20_000).fill(element(0xec, Buffer.alloc(0))), CLUSTER), DAMAGED);
    const many = webmTracks(...Array(101).fill({}));
    await refused(webm(webmInfo(), many, CLUSTER), /^made of too many tracks\./);
  });
});

test('a video that was cut off anywhere is refused', { timeout: 60_000 }, async () => {
  // The others are complete without their last part: what is missing follows what describes them.
  for (const name of ['h264.mp4', 'h264-moov-last.mp4', 'vp9.mp4', 'vp9.webm'] as const) {
    const bytes = await readVideoFixture(name);
    for (let length = 0; length < bytes.length; length += 1 + (length >> 6))
      assert.ok('refused' in (await read(bytes.subarray(0, length))), `${name} cut to ${length} bytes`);
  }
});

test('any bytes have a result: a refusal, or a size and a duration within the limits', {
  timeout: 120_000,
}, async () => {
  const fixtures = await Promise.all(VIDEO_NAMES.map(readVideoFixture));
  const made = [mp4(track(), track({ handler: 'soun', codec: 'mp4a' })), webm(webmInfo(), webmTracks({}), CLUSTER)];
  const start = fc.constantFrom(
    Buffer.alloc(0),
    FTYP,
    EBML_HEADER,
    Buffer.concat([EBML_HEADER, element(0x18538067, Buffer.alloc(0), null)]),
  );
  const random = fc.tuple(start, fc.uint8Array({ maxLength: 400 })).map((parts) => Buffer.concat(parts));
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
      fc.constantFrom(
        new Uint8Array(8),
        new Uint8Array(8).fill(0xff),
        Uint8Array.of(0, 0, 0, 1),
        Uint8Array.of(0x7f, 0xff, 0xff, 0xff),
      ),
    ),
  });
  // Changes where the descriptions are: in the first 2,000 bytes or the last.
  const mutated = fc
    .tuple(fc.constantFrom(...fixtures, ...made), fc.array(change, { minLength: 1, maxLength: 6 }), fc.boolean())
    .map(([original, changes, atEnd]) => {
      const copy = Buffer.from(original);
      const region = Math.min(2000, copy.length);
      const offset = atEnd ? copy.length - region : 0;
      for (const { at, bytes } of changes)
        copy.set(bytes.slice(0, copy.length - offset - Math.floor(at * region)), offset + Math.floor(at * region));
      return copy;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(random, mutated), async (bytes) => {
      const reading = await read(bytes);
      if ('refused' in reading) return;
      const { width, height, seconds } = reading;
      assert.ok(Number.isInteger(width) && Number.isInteger(height));
      assert.ok(Math.min(width, height) >= 240 && Math.max(width, height) <= 4096);
      assert.ok(seconds === null || (seconds > 0 && seconds <= 3600));
    }),
    { numRuns: 20_000, interruptAfterTimeLimit: 60_000 },
  );
});
