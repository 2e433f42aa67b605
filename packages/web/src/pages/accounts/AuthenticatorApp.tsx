// Two-step sign-in: adds an authenticator app with a QR code, replaces its backup codes, and removes it.
import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { encode } from 'uqr';
import { addApp, confirmApp, createBackupCodes, removeApp } from '../../account-calls.ts';
import { CopyText, useCopy } from '../../ui/CopyText.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { SecretWarning } from '../../ui/UnsavedWarning.tsx';
import { PasswordField } from './AccountForm.tsx';
import { CodeField } from './CodeForm.tsx';

type AppProps = { isOn: boolean; hasPassword: boolean; onChanged: () => Promise<unknown> };

export function AuthenticatorApp({ isOn: wasOn, hasPassword, onChanged }: AppProps) {
  /** The backup codes of an app that was just added: it is on, and they have to be saved. */
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const isOn = wasOn || codes !== null;
  const finish = () => void onChanged().then(() => setCodes(null));
  return (
    <Section
      title="Authenticator app"
      actions={<StateBadge tone={isOn ? 'good' : 'unsure'}>{isOn ? 'On' : 'Off'}</StateBadge>}
    >
      {codes !== null && <BackupCodes codes={codes} onDone={finish} />}
      {codes === null && isOn && <ChangeApp hasPassword={hasPassword} onChanged={onChanged} />}
      {!isOn && <AddApp hasPassword={hasPassword} onAdded={setCodes} />}
    </Section>
  );
}

/** What confirms a change: the password, or nothing for an account without one. */
function proofOf(password: string): { password?: string } {
  return password === '' ? {} : { password };
}

type AddProps = { hasPassword: boolean; onAdded: (codes: readonly string[]) => void };

function AddApp({ hasPassword, onAdded }: AddProps) {
  const [password, setPassword] = useState('');
  const adding = useMutation({ mutationFn: () => addApp(proofOf(password)) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  if (adding.isSuccess)
    return <ConfirmApp uri={adding.data.totpURI} onConfirmed={() => onAdded(adding.data.backupCodes)} />;
  return (
    <form onSubmit={submit} aria-label="Add an authenticator app">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          When you sign in with your password, you also enter a code from an app on your phone, such as Aegis, 2FAS,
          Google Authenticator or 1Password.
        </Text>
        {adding.error !== null && <Problem error={adding.error} />}
        {hasPassword && <PasswordField label="Your password" value={password} onChange={setPassword} />}
        <Button type="submit" loading={adding.isPending}>
          Add an authenticator app
        </Button>
      </Stack>
    </form>
  );
}

function ConfirmApp({ uri, onConfirmed }: { uri: string; onConfirmed: () => void }) {
  const [code, setCode] = useState('');
  const confirming = useMutation({ mutationFn: () => confirmApp(code), onSuccess: onConfirmed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirming.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Confirm the authenticator app">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Scan this code with the app, or enter the key. Then enter the code that the app shows.</Text>
        <QrCode text={uri} label="QR code for the authenticator app" />
        <CopyText label="key" text={new URL(uri).searchParams.get('secret') ?? ''} block />
        {confirming.error !== null && <Problem error={confirming.error} />}
        <CodeField value={code} onChange={setCode} />
        <Button type="submit" loading={confirming.isPending}>
          Turn on
        </Button>
      </Stack>
    </form>
  );
}

/** The button that doesn't create backup codes. */
const REMOVE = 'remove';

function ChangeApp({ hasPassword, onChanged }: Omit<AppProps, 'isOn'>) {
  const [password, setPassword] = useState('');
  const removing = useMutation({ mutationFn: () => removeApp(proofOf(password)), onSuccess: onChanged });
  const creating = useMutation({ mutationFn: () => createBackupCodes(proofOf(password)) });
  const error = removing.error ?? creating.error;
  if (creating.isSuccess) return <BackupCodes codes={creating.data.backupCodes} onDone={creating.reset} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    if ((submitter as HTMLButtonElement | null)?.name === REMOVE) removing.mutate();
    else creating.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Change the authenticator app">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Signing in with your password also requires a code from your app.</Text>
        {error !== null && <Problem error={error} />}
        {hasPassword && <PasswordField label="Your password" value={password} onChange={setPassword} />}
        <Group gap="sm">
          <Button type="submit" variant="default" loading={creating.isPending}>
            Create new backup codes
          </Button>
          <Button type="submit" name={REMOVE} color="red" variant="light" loading={removing.isPending}>
            Remove the app
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A QR code, drawn in the page so that its content is not sent anywhere. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={192}
      height={192}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      {/* The code is dark on light in both colour schemes, because many cameras can't read a light code on dark. */}
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

const LABELS = { idle: 'Copy codes', copied: 'Copied', failed: 'Copy failed' } as const;

/**
 * Shows the backup codes once after they were created. Until they are copied or saved, the visitor is asked before
 * leaving.
 */
function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { state, copy } = useCopy();
  const [isCopied, setCopied] = useState(false);
  const press = async () => {
    if (await copy(codes.join('\n'))) setCopied(true);
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        Save these backup codes where you keep your passwords. If you lose your phone, each code lets you sign in once.
        You won't see them again.
      </Text>
      <SimpleGrid cols={2} spacing="xs" role="list" aria-label="Backup codes" onCopy={() => setCopied(true)}>
        {codes.map((code) => (
          <Code key={code} role="listitem">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group gap="sm">
        <Button onClick={onDone}>I saved the codes</Button>
        <Button variant="default" aria-live="polite" onClick={() => void press()}>
          {LABELS[state]}
        </Button>
      </Group>
      <SecretWarning isActive={!isCopied} label="backup codes" />
    </Stack>
  );
}
