// Simulates rollouts with guards: 100,000 devices, of which each plays once a day at a random time, and the usual steps of
// 5%, 25% and 50% for a day each. Prints how often each guard stops a version that is better, as good or worse, after
// how many devices and hours, and how often an ordinary interval of 95% would have stopped one that is as good, as a
// table for docs/rollouts.md: `node bench/rollout-guards.ts --runs 1000`. The numbers are the same each time.
import { parseArgs } from 'node:util';
import { formatNumber, formatPercent } from '@chauffeur/contract/format';
import { DEFAULT_MIN_DEVICES, DEFAULT_STEPS, GUARD_TITLES, type GuardName } from '@chauffeur/contract/rollout-plan';
import { compareRates } from '../packages/server/src/analytics/health/rate-difference.ts';
import { checkGuard, MIN_AFFECTED, type SideCounts } from '../packages/server/src/analytics/rollout-guards/guards.ts';
import { medianOf, print } from './figures.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000' } } });
const runs = Number(values.runs);

const DEVICES = 100_000;
const LIMITS = { minDevices: DEFAULT_MIN_DEVICES, tolerance: 0 };
/** The job checks every five minutes. */
const CHECKS_A_DAY = 288;
const SHARES = DEFAULT_STEPS.map(({ share }) => share).filter((share) => share < 100);

type Scenario = { readonly name: string; readonly base: number; readonly version: number };
type Guarded = { readonly guard: GuardName; readonly usual: number; readonly scenarios: readonly Scenario[] };

/** `usual` is the share of devices that are affected with the current version. */
function scenariosOf(guard: GuardName, usual: number): Guarded {
  const scenario = (name: string, version: number): Scenario => ({ name, base: usual, version });
  return {
    guard,
    usual,
    scenarios: [
      scenario('half as many', usual / 2),
      scenario('as many', usual),
      scenario('1% more of them', usual * 1.01),
      scenario('half as many again', usual * 1.5),
      scenario('1 point more', usual + 0.01),
      scenario('10 points more', usual + 0.1),
    ],
  };
}

const GUARDS: readonly Guarded[] = [
  scenariosOf('crash_free', 0.02),
  scenariosOf('crash_on_boot', 0.005),
  scenariosOf('boot', 0.01),
  scenariosOf('new_groups', 0.001),
];

type Outcome = { readonly check: number; readonly devices: number } | null;
type Judge = (guard: GuardName, sides: { side: SideCounts; base: SideCounts }) => boolean;

/** Returns when the version is stopped; null if it is not. */
function simulate(guard: GuardName, { base, version }: Scenario, isWorse: Judge): Outcome {
  // Devices outside of the first share, by the step with which they leave the comparison. The last ones never do.
  const bounds = [...SHARES, 100];
  const waiting = bounds.slice(1).map((bound, index) => ({ size: bound - bounds[index]!, devices: 0, affected: 0 }));
  const own = { devices: 0, affected: 0 };
  for (const [step, share] of SHARES.entries()) {
    const added = ((step === 0 ? share : share - SHARES[step - 1]!) * DEVICES) / 100;
    const before = own.devices;
    for (let check = 1; check <= CHECKS_A_DAY; check += 1) {
      const arrived = Math.round((added * check) / CHECKS_A_DAY) - (own.devices - before);
      own.devices += arrived;
      own.affected += binomial(arrived, version);
      // The others all play on the first day, and count once.
      if (step === 0)
        for (const group of waiting) {
          const coming = Math.round((group.size * DEVICES * check) / 100 / CHECKS_A_DAY) - group.devices;
          group.devices += coming;
          group.affected += binomial(coming, base);
        }
      const others = waiting.slice(step);
      const sum = (pick: (group: (typeof waiting)[number]) => number) =>
        others.reduce((total, group) => total + pick(group), 0);
      const sides = {
        side: countsOf(own.devices, own.affected),
        base: countsOf(
          sum((group) => group.devices),
          sum((group) => group.affected),
        ),
      };
      if (isWorse(guard, sides)) return { check: step * CHECKS_A_DAY + check, devices: own.devices };
    }
  }
  return null;
}

/** Every guard sees the affected devices as what it counts. */
function countsOf(devices: number, affected: number): SideCounts {
  return {
    ...{ devices, started: devices, booted: devices - affected },
    ...{ crashed: affected, crashed_on_boot: affected, new_group_devices: affected },
  };
}

const byGuard: Judge = (guard, sides) => checkGuard(guard, sides, LIMITS).verdict === 'worse';

/** An ordinary interval of 95%, with the same minimum of devices. */
const byOrdinaryInterval: Judge = (_, { side, base }) => {
  if (side.devices < LIMITS.minDevices || side.crashed < MIN_AFFECTED) return false;
  const share = ({ devices, crashed }: SideCounts) => ({ part: devices - crashed, total: devices });
  return compareRates(share(side), share(base)).verdict === 'worse';
};

let state = 20_261_128;

/** Mulberry32, so that the table can be made again. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** How many of `count` devices are affected: counted exactly if few are, and by the normal distribution otherwise. */
function binomial(count: number, rate: number): number {
  if (count <= 0) return 0;
  const mean = count * rate;
  if (mean > 50 && count - mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.min(count, Math.max(0, Math.round(mean + Math.sqrt(mean * (1 - rate)) * normal)));
  }
  let affected = 0;
  for (let at = skip(rate); at < count; at += 1 + skip(rate)) affected += 1;
  return affected;
}

/** The number of devices before the next affected one. */
function skip(rate: number): number {
  return Math.floor(Math.log(1 - random()) / Math.log(1 - rate));
}

const HOURS_OF_CHECK = 24 / CHECKS_A_DAY;

function measure(guard: GuardName, scenario: Scenario, isWorse: Judge) {
  const outcomes = Array.from({ length: runs }, () => simulate(guard, scenario, isWorse));
  const stopped = outcomes.filter((outcome) => outcome !== null);
  const first = stopped.filter(({ check }) => check <= CHECKS_A_DAY);
  return {
    stopped: stopped.length / runs,
    first: first.length / runs,
    devices: medianOf(stopped.map(({ devices }) => devices)),
    hours: medianOf(stopped.map(({ check }) => check * HOURS_OF_CHECK)),
  };
}

/** More exact than the website, so that 1% more can be seen. */
function formatRate(rate: number): string {
  return `${Number((rate * 100).toFixed(3))}%`;
}

function formatHours(hours: number): string {
  return hours < 2 ? `${Math.round(hours * 60)} min` : `${hours.toFixed(1)} h`;
}

print('| Guard | Affected devices | Version | Stopped | At the first step | Devices with it | After |');
print('|---|---|---|---|---|---|---|');
for (const { guard, scenarios } of GUARDS)
  for (const scenario of scenarios) {
    const { stopped, first, devices, hours } = measure(guard, scenario, byGuard);
    const when = stopped < 0.05 ? ['–', '–'] : [formatNumber(Math.round(devices)), formatHours(hours)];
    const rates = `${formatRate(scenario.base)} → ${formatRate(scenario.version)}`;
    print(
      `| ${GUARD_TITLES[guard]} | ${rates} | ${scenario.name} | ${formatPercent(stopped)} | ${formatPercent(first)} | ${when.join(' | ')} |`,
    );
  }
print('');
print('| Guard | Affected devices | Stopped by an ordinary interval of 95% |');
print('|---|---|---|');
for (const { guard, usual } of GUARDS) {
  const { stopped } = measure(guard, { name: 'as many', base: usual, version: usual }, byOrdinaryInterval);
  print(`| ${GUARD_TITLES[guard]} | ${formatRate(usual)} | ${formatPercent(stopped)} |`);
}
