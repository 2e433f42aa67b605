import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChannelOverview, describeChange, formatBehind } from './describe-channel.ts';

type Rate = NonNullable<ChannelOverview['change']>['booted'];

const NO_DATA: Rate = { rate: 0.9, other_rate: null, difference: null, low: null, high: null, verdict: 'unclear' };
const rate = (difference: number, verdict: Rate['verdict']): Rate => ({
  ...{ rate: 0.9, other_rate: 0.9 - difference, difference, verdict },
  ...{ low: difference - 0.02, high: difference + 0.02 },
});
const describeRates = (booted: Rate, crash_free: Rate) => describeChange({ change: { booted, crash_free } });

describe('the change of a channel', () => {
  it('is worse if one rate is, whatever the other is', () => {
    assert.deepEqual(describeRates(rate(0.05, 'better'), rate(-0.09, 'worse')), {
      tone: 'bad',
      verdict: 'Worse',
      relation: 'than',
      details: ['Crash-free devices: −9.0 (−11.0 to −7.0)', 'Booted: +5.0 (3.0 to 7.0)'],
    });
  });

  it('is better if one rate is and none is worse', () => {
    assert.equal(describeRates(rate(0.05, 'better'), rate(0, 'unclear'))?.verdict, 'Better');
    assert.equal(describeRates(rate(0.01, 'unclear'), rate(0, 'unclear'))?.verdict, 'No clear change');
  });

  it('names only rates that can be compared', () => {
    assert.deepEqual(describeRates(NO_DATA, NO_DATA)?.details, []);
    assert.equal(describeRates(NO_DATA, rate(0.05, 'better'))?.details.length, 1);
    assert.equal(describeChange({ change: null }), null);
  });
});

describe('platforms with another version', () => {
  it('are listed by their version', () => {
    const platform = (os: 'linux' | 'windows', version: string) => ({ os, arch: 'x86_64' as const, version });
    assert.deepEqual(formatBehind([platform('linux', '1.0'), platform('windows', '0.9')]), [
      '1.0 on Linux x86_64',
      '0.9 on Windows x86_64',
    ]);
    assert.deepEqual(formatBehind([]), []);
  });
});
