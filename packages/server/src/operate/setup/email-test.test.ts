// cspell:ignore ESOCKET
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainEmailFailure, quoteReply } from './email-test.ts';

const SMTP = 'smtp://postman:s3cret%20word@mail.example.com:587';

describe('the explanation of a mail failure', () => {
  it('names the cause and the remedy', () => {
    const saysOf = (error: object) => explainEmailFailure(error, SMTP).says;
    assert.match(saysOf({ code: 'ESOCKET', message: 'connect ECONNREFUSED 127.0.0.1:587' }), /^Nothing accepts/);
    assert.match(saysOf({ code: 'EDNS', message: 'getaddrinfo ENOTFOUND mail.example.com' }), /has no address/);
    assert.match(saysOf({ code: 'ETIMEDOUT', message: 'Greeting never received' }), /did not respond in time/);
    assert.match(saysOf({ code: 'ESOCKET', message: 'self-signed certificate' }), /certificate.*not trusted/);
    assert.match(saysOf({ message: 'something new' }), /could not be sent/);
    assert.match(explainEmailFailure({ code: 'EAUTH' }, SMTP).remedy ?? '', /%40/);
  });

  it('quotes the reply of the server without the credentials in any spelling', () => {
    const secrets = [
      's3cret word',
      's3cret%20word',
      Buffer.from('s3cret word').toString('base64'),
      Buffer.from('\0postman\0s3cret word').toString('base64'),
      'postman',
    ];
    const { says } = explainEmailFailure({ code: 'EAUTH', response: `535 no: ${secrets.join(' ')}\r\n` }, SMTP);
    assert.match(says, /It replied: 535 no: ‹…› ‹…› ‹…› ‹…› ‹…›$/);
    for (const secret of secrets) assert.ok(!says.includes(secret), secret);
  });

  it('keeps a reply short and on one line', () => {
    assert.equal(quoteReply('250-first\r\n250 second', 'smtp://mail'), '250-first 250 second');
    assert.equal(quoteReply('x'.repeat(1000), SMTP).length, 300);
  });
});
