// Symbols of a server, over real HTTP: what comes into the folder, what does not, and what is asked again.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ModuleId } from '../module-symbols.ts';
import { SymbolServer, type SymbolServerLimits } from './symbol-server.ts';
import { readServerUrl, serverPathOf, symbolUrlOf } from './symbol-url.ts';

const ID = 'ABCDEF0123456789ABCDEF01234567891f';
const GAME: ModuleId = { debugFile: 'game.pdb', debugId: ID, codeFile: 'C:\\Users\\ann\\game.exe', codeId: '5b2a' };
const TEXT = `MODULE windows x86_64 ${ID} game.pdb\nPUBLIC 1000 0 main\n`;

describe('a symbol server', () => {
  const http = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  let asked: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let url: URL;
  let folder: string;
  let problems: string[] = [];

  before(async () => {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/symbols/s3cret/`);
  });
  after(() => {
    http.closeAllConnections();
    http.close();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'symbol-server-'));
    asked = [];
    problems = [];
    answer = (_, response) => response.end(TEXT);
  });

  const serve = (limits: Partial<SymbolServerLimits> = {}) =>
    new SymbolServer(url, { cacheFolder: folder, limits, onProblem: (problem) => problems.push(problem) });
  const filesIn = (server: SymbolServer) =>
    existsSync(server.folder)
      ? readdirSync(server.folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
          entry.isFile() ? [entry.name] : [],
        )
      : [];

  it('is asked in the usual form, with the program in queries and no folder of the player', async () => {
    const server = serve();
    assert.equal(await server.fetch({ ...GAME, debugId: ID.toLowerCase() }), true);
    assert.deepEqual(asked, [`/symbols/s3cret/game.pdb/${ID}/game.sym?code_file=game.exe&code_id=5b2a`]);
    assert.equal(readFileSync(join(server.folder, 'game.pdb', ID, 'game.sym'), 'utf8'), TEXT);
  });

  it('is not asked for what is in the folder, also when it is gone', async () => {
    await serve().fetch(GAME);
    answer = (request) => request.socket.destroy();
    assert.equal(await serve().fetch(GAME), true);
    assert.equal(asked.length, 1);
  });

  it('may send gzip', async () => {
    answer = (request, response) => {
      assert.match(request.headers['accept-encoding'] ?? '', /gzip/);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT));
    };
    const server = serve();
    assert.equal(await server.fetch(GAME), true);
    assert.equal(readFileSync(join(server.folder, 'game.pdb', ID, 'game.sym'), 'utf8'), TEXT);
  });

  it('is asked again after an hour for what it did not have, and not before', async () => {
    answer = (_, response) => response.writeHead(404).end('{}');
    const server = serve();
    assert.deepEqual([await server.fetch(GAME), await server.fetch(GAME), asked.length], [false, false, 1]);
    assert.deepEqual(problems, []);
    answer = (_, response) => response.end(TEXT);
    const mark = join(server.folder, 'game.pdb', ID, 'game.sym.absent');
    for (const hours of [2, -2]) {
      utimesSync(mark, new Date(), new Date(Date.now() - hours * 3_600_000));
      assert.equal(await server.fetch(GAME), true);
      assert.ok(!existsSync(mark));
      rmSync(join(server.folder, 'game.pdb'), { recursive: true });
      answer = (_, response) => response.writeHead(404).end();
      await server.fetch(GAME);
      answer = (_, response) => response.end(TEXT);
    }
  });

  const BAD: Record<string, [(request: IncomingMessage, response: ServerResponse) => void, RegExp]> = {
    'another status': [(_, response) => response.writeHead(500).end(), /answered 500/],
    'a page instead of symbols': [(_, response) => response.end('<html>Sign in</html>'), /begins with a MODULE line/],
    'nothing at all': [(_, response) => response.end(), /begins with a MODULE line/],
    'symbols of another module': [
      (_, response) => response.end(TEXT.replace(ID, `${ID}0`)),
      /module with another debug id/,
    ],
    'more than the limit': [(_, response) => response.end(TEXT + ' '.repeat(10_000)), /more than 9000 bytes/],
    'a small body that unpacks to more than the limit': [
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT + ' '.repeat(1_000_000))),
      /more than 9000 bytes/,
    ],
    'a body that breaks off': [
      (_, response) => {
        response.writeHead(200, { 'content-length': 5000 });
        response.write(TEXT, () => response.destroy());
      },
      /./,
    ],
    'a body that stops': [(_, response) => void response.writeHead(200).write(TEXT), /no data for 300 ms/],
    'no answer': [() => undefined, /no data for 300 ms/],
    'no connection': [(request) => request.socket.destroy(), /./],
  };
  for (const [what, [bad, problem]] of Object.entries(BAD)) {
    it(`leaves nothing behind after ${what}, says why without the secret, and is asked again`, async () => {
      answer = bad;
      const server = serve({ bytes: 9000, idleMilliseconds: 300 });
      assert.equal(await server.fetch(GAME), false);
      assert.deepEqual(filesIn(server), []);
      assert.equal(problems.length, 1);
      assert.match(problems[0] as string, problem);
      assert.match(problems[0] as string, /^game\.pdb could not be fetched from 127\.0\.0\.1:\d+: /);
      assert.ok(!problems[0]?.includes('s3cret'));
      answer = (_, response) => response.end(TEXT);
      assert.equal(await server.fetch(GAME), true);
    });
  }

  it('is left alone after three failures in a row, and after as many requests as there may be', async () => {
    answer = (_, response) => response.writeHead(503).end();
    const named = (name: string) => ({ ...GAME, debugFile: name });
    const broken = serve();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await broken.fetch(named(name));
    assert.equal(asked.length, 3);
    assert.match(problems.at(-1) as string, /not asked any more, after 3 failures/);
    asked = [];
    answer = (_, response) => response.writeHead(404).end();
    const limited = serve({ requests: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await limited.fetch(named(name));
    assert.equal(asked.length, 2);
  });

  it('is not asked for names that lead out of the folder, to a device, or are too long', async () => {
    const server = serve();
    const names = ['', '..', '.. ', 'nul', 'a\0b', 'a:b', 'x'.repeat(230), '\ud800', '../../..', 'a/..', '..\\..'];
    for (const debugFile of names) assert.equal(await server.fetch({ ...GAME, debugFile }), false, debugFile);
    for (const debugId of ['', '..', '../..', 'x/y', 'a\0', '0'.repeat(65)])
      assert.equal(await server.fetch({ ...GAME, debugId }), false, debugId);
    assert.deepEqual([asked, filesIn(server)], [[], []]);
  });

  it('has a folder of its own, whose name does not give its address away', () => {
    const other = new SymbolServer(new URL('https://symbols.example/'), { cacheFolder: folder });
    assert.notEqual(serve().folder, other.folder);
    assert.match(serve().folder.slice(folder.length), /^[/\\][0-9a-f]{16}$/);
  });
});

describe('the address of a module', () => {
  it('is below the server’s, with names that no URL has escaped', () => {
    const server = readServerUrl('https://symbols.example/api/v1/?key=1') as URL;
    const module = { ...GAME, debugFile: '/opt/My Game#1?.so', codeFile: '', codeId: '' };
    assert.equal(serverPathOf(module), undefined);
    const named = { ...module, debugFile: '/opt/My Game#1%2f.so' };
    assert.equal(
      symbolUrlOf(server, serverPathOf(named)!, named).href,
      `https://symbols.example/api/v1/My%20Game%231%252f.so/${ID}/My%20Game%231%252f.so.sym?key=1`,
    );
  });

  it('is of http or https, and has no user and password', () => {
    for (const text of ['', 'symbols.example', 'ftp://x/', 'file:///etc', 'https://ann:pw@x/', 'http://ann@x/'])
      assert.equal(readServerUrl(text), undefined, text);
    assert.equal(readServerUrl('https://x')?.href, 'https://x/');
  });
});
