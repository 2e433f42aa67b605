import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWithin, PLACES, placeOf } from './rollout-places.ts';

const devices = Array.from({ length: 20_000 }, (_, index) => `device-${index}`);
const ROLLOUT = '01997c44-0000-7000-8000-000000000001';

test('a device keeps its place, and a larger share only adds devices', () => {
  for (const device of devices.slice(0, 500)) {
    const place = placeOf(ROLLOUT, device);
    assert.equal(placeOf(ROLLOUT, device), place);
    assert.ok(Number.isInteger(place) && place >= 0 && place < PLACES);
    let before = false;
    for (let share = 1; share <= 99; share += 1) {
      const within = isWithin(place, share);
      assert.ok(within || !before, 'a device left when the share grew');
      before = within;
    }
  }
});

test('a share of the devices is within it, to the accuracy of the sample', () => {
  for (const share of [1, 5, 25, 50, 99]) {
    const within = devices.filter((device) => isWithin(placeOf(ROLLOUT, device), share)).length;
    const expected = (devices.length * share) / 100;
    const spread = Math.sqrt((expected * (100 - share)) / 100);
    assert.ok(Math.abs(within - expected) < 4 * spread, `${share}%: ${within}`);
  }
});

test('other devices go first in another rollout', () => {
  const first = (rolloutId: string) => new Set(devices.filter((device) => isWithin(placeOf(rolloutId, device), 10)));
  const [one, other] = [first(ROLLOUT), first('01997c44-0000-7000-8000-000000000002')];
  const both = one.intersection(other).size;
  assert.ok(both > 100 && both < 320, `${both} of 200 expected`);
});
