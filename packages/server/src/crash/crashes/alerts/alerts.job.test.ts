import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR } from '../../../kernel/clock.ts';
import { type Rate, spikeOf } from './alerts.job.ts';

const NOW = new Date('2026-12-01T12:00:00Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR);
const rate = (more: Partial<Rate>): Rate => ({ count: 100, sum: 240, highest: 15, knownSince: hoursAgo(24), ...more });

describe('a spike', () => {
  test('is an hour with five times the average and twice the most', () => {
    assert.equal(spikeOf(rate({}), NOW), 10);
    assert.equal(spikeOf(rate({ count: 50 }), NOW), 10);
    assert.equal(spikeOf(rate({ count: 49 }), NOW), null);
    assert.equal(spikeOf(rate({ highest: 50 }), NOW), 10);
    assert.equal(spikeOf(rate({ highest: 51 }), NOW), null);
  });

  test('has at least 20 reports', () => {
    assert.equal(spikeOf(rate({ count: 19, sum: 0, highest: 0 }), NOW), null);
    assert.equal(spikeOf(rate({ count: 20, sum: 0, highest: 0 }), NOW), 0);
  });

  test('needs a whole hour to compare with', () => {
    assert.equal(spikeOf(rate({ sum: 1, highest: 1, knownSince: hoursAgo(0.9) }), NOW), null);
    assert.equal(spikeOf(rate({ sum: 1, highest: 1, knownSince: hoursAgo(1) }), NOW), 1);
  });

  test('counts hours without reports, but none before the week', () => {
    assert.equal(spikeOf(rate({ sum: 168, highest: 20, knownSince: hoursAgo(1000) }), NOW), 1);
  });
});
