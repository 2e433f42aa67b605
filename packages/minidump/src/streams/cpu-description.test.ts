import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../bytes.ts';
import type { CpuName } from '../contexts/cpu.ts';
import { describeCpu } from './cpu-description.ts';

function describe(cpu: CpuName | undefined, level: number, revision: number, details = new Uint8Array(24)): string {
  return describeCpu(cpu, { level, revision, details: new Bytes(details, true) });
}

function arm(level: number, cpuId: number, features: number): string {
  return describe('arm', level, 0, new Uint8Array(new Uint32Array([cpuId, features, 0, 0, 0, 0]).buffer));
}

test('describes an x86 CPU by vendor, family, model and stepping', () => {
  const details = new Uint8Array(24);
  details.set(new TextEncoder().encode('GenuineIntel'));
  assert.equal(describe('x86', 6, 0x1a05, details), 'GenuineIntel family 6 model 26 stepping 5');
  assert.equal(describe('x86', 6, 0x1a05), 'family 6 model 26 stepping 5');
});

test('describes an amd64 CPU without a vendor, because the dump has feature bits instead', () => {
  const details = new Uint8Array(24).fill(0x41);
  assert.equal(describe('amd64', 23, 0x3100, details), 'family 23 model 49 stepping 0');
});

test('describes an ARM CPU by architecture, vendor, part and features', () => {
  assert.equal(arm(7, 0x510006f3, 0b111), 'ARMv7 Qualcomm Krait features: swp,half,thumb');
  assert.equal(arm(7, 0x412fc0f2, 1 << 18), 'ARMv7 ARM Cortex-A15 features: idivt');
});

test('prints unknown vendors and parts of ARM CPUs as numbers, and omits missing values', () => {
  assert.equal(arm(1, 0x4110d070, 0), 'ARMv1 ARM part(0x4100d070)');
  assert.equal(arm(8, 0x991fc0f2, 0), 'ARMv8 vendor(0x99) part(0x9900c0f0)');
  assert.equal(arm(7, 0, 0), 'ARMv7');
});

test('returns an empty description for arm64 and unknown CPUs', () => {
  assert.equal(describe('arm64', 8, 0), '');
  assert.equal(describe(undefined, 1, 2), '');
});

test('describes the available part of details that are cut off', () => {
  assert.equal(describe('x86', 6, 0x1a05, new TextEncoder().encode('Genuine')), 'Genuine family 6 model 26 stepping 5');
  assert.equal(describe('arm', 7, 0, new Uint8Array(7)), 'ARMv7');
});
