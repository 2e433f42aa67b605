// The first run: creating the first account with a code from the server's output, and testing each part of the
// installation.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Email, Line, Nullable } from './fields.ts';
import { ShownSetting } from './operator.ts';

export const getSetup = defineOperation({
  id: 'setup.get',
  summary: 'Find out whether the first account can be created, and whether the public URL fits the page',
  method: 'GET',
  path: '/setup',
  access: 'public',
  query: Type.Object({
    origin: Type.Optional(
      Type.String({ maxLength: 300, description: 'The origin of the page, as a browser sends it' }),
    ),
  }),
  output: Type.Object({
    open: Type.Boolean({ description: 'Whether a set-up code can be used: there is no operator yet' }),
    has_accounts: Type.Boolean(),
    public_url: Type.String(),
    is_own_origin: Type.Boolean({ description: 'Whether people can sign in at the given origin' }),
    proxies: Type.Integer({ description: 'Number of addresses in X-Forwarded-For of this request' }),
    command: Type.String({ description: 'How the command of the server is called: with npx in a checkout' }),
  }),
  statuses: [200],
  errors: [],
});

const SetupCode = Type.String({ minLength: 1, maxLength: 100, description: 'the set-up code' });

export const createOperator = defineOperation({
  id: 'setup.createOperator',
  summary: 'Create the first account, which is verified and an operator, with the set-up code',
  method: 'POST',
  path: '/setup',
  access: 'public',
  audit: true,
  body: Type.Object({
    code: SetupCode,
    name: Line('name', { maxLength: LIMITS.displayNameLength * 2 }),
    email: Email,
    password: Type.String({ minLength: LIMITS.passwordMinLength, maxLength: LIMITS.passwordLength }),
  }),
  output: Type.Object({ email: Type.String() }),
  statuses: [201],
  errors: ['wrongSetupCode', 'limitReached'],
});

export const claimOperator = defineOperation({
  id: 'setup.claimOperator',
  summary: 'Make your own account verified and an operator, with the set-up code',
  method: 'POST',
  path: '/setup/operator',
  access: 'account',
  body: Type.Object({ code: SetupCode }),
  output: Type.Object({ email: Type.String() }),
  statuses: [200],
  errors: ['wrongSetupCode', 'limitReached'],
});

const INSTALLATION_PARTS = ['address', 'mail', 'scanner', 'storage', 'database', 'backups'] as const;
/** The parts that the server can test by itself. A browser is needed to test the address. */
export const TESTED_PARTS = ['mail', 'scanner', 'storage'] as const;

const Advice = Type.Object({
  variable: Type.String({ description: 'The setting to change' }),
  value: Type.String({ description: 'What to set it to, or an example' }),
});

const InstallationPart = Type.Object({
  part: Type.Enum([...INSTALLATION_PARTS]),
  level: Type.Enum(['good', 'unsure', 'bad', 'info'], {
    description:
      'good: ready for production; unsure: decide whether it is; bad: fix it first; info: nothing to configure',
  }),
  says: Type.String(),
  remedy: Nullable(Type.String()),
  advice: Type.Array(Advice, { description: 'The settings to change' }),
  settings: Type.Array(ShownSetting, { description: 'The active settings of this part, without secrets' }),
});

export const getInstallation = defineOperation({
  id: 'setup.installation',
  summary: 'List the parts of the installation, whether each is ready for production, and what to set',
  method: 'GET',
  path: '/operator/setup',
  access: 'operator',
  output: Type.Object({ parts: Type.Array(InstallationPart) }),
  statuses: [200],
  errors: [],
});

const TestCheck = Type.Object({
  level: Type.Enum(['good', 'unsure', 'bad']),
  says: Type.String(),
  remedy: Nullable(Type.String()),
});

const Checks = Type.Array(TestCheck, { description: 'What was checked, in order' });

export const testPart = defineOperation({
  id: 'setup.test',
  summary: 'Test email, the virus scanner or the blob storage: send, scan or store something, and clean up',
  method: 'POST',
  path: '/operator/setup/{part}/test',
  access: 'operator',
  audit: false,
  params: Type.Object({ part: Type.Enum([...TESTED_PARTS]) }),
  output: Type.Object({ checks: Checks }),
  statuses: [200],
  errors: ['limitReached'],
});

/** The size of a chunk of an upload, which proxies often refuse by default. */
export const ADDRESS_TEST_BYTES = LIMITS.chunkBytes;

export const testAddress = defineOperation({
  id: 'setup.testAddress',
  summary: 'Test the connection from a browser to the server: the public URL, proxies and a body as large as a chunk',
  method: 'POST',
  path: '/operator/setup/address/test',
  access: 'operator',
  audit: false,
  query: Type.Object({
    nonce: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Returned in the response, to detect a cached one',
    }),
  }),
  bodyKind: 'bytes',
  output: Type.Object({
    nonce: Type.String(),
    received_bytes: Type.Integer(),
    checks: Checks,
  }),
  statuses: [200],
  errors: ['tooLarge', 'limitReached'],
});
