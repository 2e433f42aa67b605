import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DumpSystem, FACET_RULES, facetOfKey, facetsOf } from './facet-rules.ts';

const read = (metadata: Record<string, unknown>, system: DumpSystem | null = null) =>
  Object.fromEntries(facetsOf({ metadata, system }));

const DUMP: DumpSystem = { os: 'Windows NT', osVersion: '10.0.22631 3296', distribution: null, cpu: null, cores: 16 };

describe('facets from metadata', () => {
  const cases: readonly (readonly [string, Record<string, unknown>, Record<string, string>])[] = [
    [
      'of Unity',
      {
        graphicsDeviceName: 'NVIDIA GeForce RTX 3060',
        graphicsDeviceVersion: 'Direct3D 11.0 [level 11.1]',
        systemMemorySize: 16303,
        processorType: 'Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz',
        processorCount: 8,
        operatingSystem: 'Windows 11  (10.0.22631) 64bit',
        systemLanguage: 'German',
      },
      {
        gpu: 'NVIDIA GeForce RTX 3060',
        ram: '16 GB',
        cpu: 'Intel Core i7-9700K',
        cores: '8',
        os_version: 'Windows 11 22631',
        locale: 'German',
      },
    ],
    [
      'of an engine with snake case',
      { gpu_name: 'AMD Radeon RX 580', driver_version: '31.0.21921', ram_gb: '31.9', os_locale: 'pt_br.UTF-8' },
      { gpu: 'AMD Radeon RX 580', driver: '31.0.21921', ram: '32 GB', locale: 'pt-BR' },
    ],
    [
      'of a browser',
      {
        'gl.renderer': 'ANGLE (NVIDIA, NVIDIA GeForce GTX 1060 6GB Direct3D11 vs_5_0 ps_5_0, D3D11)',
        language: 'en-us',
      },
      { gpu: 'NVIDIA GeForce GTX 1060 6GB', locale: 'en-US' },
    ],
    ['with bytes', { 'total memory': '17091801088' }, { ram: '16 GB' }],
    ['of a store', { Store: 'SteamStore' }, { store: 'steam' }],
    ['that are unknown', { gpu: 'Unknown', ram: 'lots', cores: '-1', cpu: 'x86_64', driver: '' }, {}],
    [
      'of the game',
      { Level: 3, mode: 'hard', note: 'x'.repeat(101), chauffeur_omitted: 'x', none: null, 'a key': 1 },
      { 'metadata.level': '3', 'metadata.mode': 'hard' },
    ],
  ];
  for (const [name, metadata, facets] of cases) it(`${name} are read`, () => assert.deepEqual(read(metadata), facets));

  it('prefer the first key that says something', () => {
    assert.deepEqual(read({ cpu: 'x86_64', processor: 'AMD Ryzen 7 5800X 8-Core Processor' }), {
      cpu: 'AMD Ryzen 7 5800X',
    });
  });
});

describe('facets from a dump', () => {
  it('fill what the metadata does not say', () => {
    assert.deepEqual(read({ cores: 12 }, DUMP), { os_version: 'Windows 11 22631', cores: '12' });
  });
  const versions: readonly (readonly [string, string, string | null, string])[] = [
    ['Windows NT', '10.0.19045', null, 'Windows 10 19045'],
    ['Windows NT', '6.1.7601 Service Pack 1', null, 'Windows 6.1.7601'],
    ['Mac OS X', '14.5 23F79', null, 'macOS 14.5'],
    ['Linux', '6.8.0-41-generic #41 SMP', null, 'Linux 6.8'],
    ['Linux', '6.8.0', 'Ubuntu 24.04', 'Ubuntu 24.04'],
    ['Android', '14', null, 'Android 14'],
  ];
  for (const [os, osVersion, distribution, expected] of versions)
    it(`${os} ${osVersion} is ${expected}`, () =>
      assert.equal(read({}, { ...DUMP, os, osVersion, distribution }).os_version, expected));
});

describe('the rules of facets', () => {
  it('read each key into one facet', () => {
    for (const { facet, keys } of FACET_RULES) for (const key of keys) assert.equal(facetOfKey(key), facet, key);
  });

  it('accept any metadata', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.string(), fc.constantFrom(...FACET_RULES.flatMap(({ keys }) => keys))),
          fc.anything(),
        ),
        (metadata) => {
          for (const [facet, value] of facetsOf({ metadata, system: DUMP })) {
            assert.ok(facet.length <= 73 || facet.startsWith('metadata.'));
            assert.ok(value !== '' && value.length <= 100 && value.isWellFormed() && !value.includes('\0'));
          }
        },
      ),
    );
  });
});
