import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readVerdict, readVersion } from './clamd-connection.ts';
import { ScannerUnavailableError } from './scanner.ts';

describe('readVerdict', () => {
  it('reads OK as clean and FOUND as infected', () => {
    assert.deepEqual(readVerdict('stream: OK'), { result: 'clean' });
    assert.deepEqual(readVerdict('stream: Win.Test.EICAR_HDB-1 FOUND'), {
      result: 'infected',
      signature: 'Win.Test.EICAR_HDB-1',
    });
  });

  it('reads a limit, an encrypted archive and a stream that is too long as not scanned', () => {
    for (const signature of ['Heuristics.Limits.Exceeded.MaxFileSize', 'Heuristics.Encrypted.Zip']) {
      assert.deepEqual(readVerdict(`stream: ${signature} FOUND`), { result: 'not-scanned', reason: signature });
    }
    assert.equal(readVerdict('INSTREAM size limit exceeded. ERROR').result, 'not-scanned');
  });

  it('reads other heuristics as infected', () => {
    assert.equal(readVerdict('stream: Heuristics.Broken.Executable FOUND').result, 'infected');
  });

  it('throws for every other reply, because the scanner cannot scan now', () => {
    for (const reply of [
      'stream: Can’t allocate memory ERROR',
      'UNKNOWN COMMAND',
      'stream: OK ',
      '',
      'COMMAND READ TIMED OUT',
    ]) {
      assert.throws(() => readVerdict(reply), ScannerUnavailableError);
    }
  });
});

describe('readVersion', () => {
  it('returns the engine, and the signatures with their date', () => {
    assert.deepEqual(readVersion('ClamAV 1.4.3/27800/Thu Nov  5 09:31:43 2026'), {
      engine: 'ClamAV 1.4.3',
      signatures: '27800 (2026-11-05)',
    });
  });

  it('accepts an unreadable date and missing signatures', () => {
    assert.equal(readVersion('ClamAV 1.4.3/27800/yesterday').signatures, '27800');
    assert.equal(readVersion('ClamAV 1.4.3').signatures, null);
  });

  it('rejects a reply that is not from ClamAV', () => {
    assert.throws(() => readVersion('HTTP 1.1'), ScannerUnavailableError);
  });
});
