// The first run: with the code that the server printed, a visitor creates the first account, and a signed-in person
// becomes an operator.
import type { OutputOf } from '@chauffeur/contract/operation';
import { claimOperator, createOperator, getSetup } from '@chauffeur/contract/operations/setup';
import { Button, Group, Skeleton, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { signIn } from '../../account-calls.ts';
import { ask, call } from '../../api.ts';
import { type Person, session } from '../../session.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { AccountForm, EmailField, NameField, NewPasswordField } from '../accounts/AccountForm.tsx';

const TITLE = 'Set up Chauffeur';

export function SetupPage() {
  // The code is read once, because reading removes it from the address.
  const [code] = useState(takeCode);
  const { data, error, isPending, refetch } = useQuery(ask(getSetup, { origin: location.origin }));
  const { data: person } = useQuery(session);
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending || person === undefined) return <Skeleton h={420} maw={432} mx="auto" my="lg" />;
  if (!data.is_own_origin) return <WrongAddress setup={data} />;
  if (!data.open) return <SetupEnded isOperator={person?.operator === true} />;
  return person === null ? <FirstAccount initialCode={code} /> : <ClaimAccount initialCode={code} person={person} />;
}

/** Shows the parts of the installation to the new operator. */
function useNextStep() {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    queries.clear();
    await router.navigate({ to: '/operator/setup' });
  };
}

function FirstAccount({ initialCode }: { initialCode: string }) {
  const [code, setCode] = useState(initialCode);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const showNextStep = useNextStep();
  const creating = useMutation({
    mutationFn: async () => {
      await call(createOperator, { code, name, email, password });
      await signIn({ email, password });
    },
    onSuccess: showNextStep,
  });
  return (
    <AccountForm
      title={TITLE}
      submitLabel="Create account"
      isBusy={creating.isPending}
      error={creating.error}
      onSubmit={() => creating.mutate()}
    >
      <Text size="sm">Create the first account. It is verified, and can open the operator pages.</Text>
      <CodeField value={code} onChange={setCode} />
      <NameField value={name} onChange={setName} />
      <EmailField value={email} onChange={setEmail} />
      <NewPasswordField label="Password" value={password} onChange={setPassword} />
    </AccountForm>
  );
}

function ClaimAccount({ initialCode, person }: { initialCode: string; person: Person }) {
  const [code, setCode] = useState(initialCode);
  const showNextStep = useNextStep();
  const claiming = useMutation({ mutationFn: () => call(claimOperator, { code }), onSuccess: showNextStep });
  return (
    <AccountForm
      title={TITLE}
      submitLabel="Make me an operator"
      isBusy={claiming.isPending}
      error={claiming.error}
      onSubmit={() => claiming.mutate()}
    >
      <Text size="sm">{`You're signed in as ${person.email}. With the code, your account becomes the first operator.`}</Text>
      <CodeField value={code} onChange={setCode} />
    </AccountForm>
  );
}

function CodeField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      label="Set-up code"
      description="The server printed a link when it started. The code is the part after #code=."
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={100}
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function SetupEnded({ isOperator }: { isOperator: boolean }) {
  return (
    <Panel>
      <PageHead title="This server is set up" />
      {isOperator ? (
        <>
          <Text>Check and test its parts whenever settings change.</Text>
          <Group>
            <Button component="a" href="/operator/setup">
              Check the server
            </Button>
          </Group>
        </>
      ) : (
        <Text>
          It has an operator. <SiteLink to="/sign-in">Sign in</SiteLink> with your account.
        </Text>
      )}
    </Panel>
  );
}

/** Says what to set if the page was opened at another address than the public URL, where people can't sign in. */
function WrongAddress({ setup }: { setup: OutputOf<typeof getSetup> }) {
  const { public_url: publicUrl, proxies, open: isOpen } = setup;
  const lines = [
    `CHAUFFEUR_PUBLIC_URL=${location.origin}`,
    ...(proxies > 0 ? [`CHAUFFEUR_TRUST_PROXY=${proxies}`] : []),
  ];
  return (
    <Panel>
      <PageHead title="Set the address of the server" />
      <Text>{`You opened ${location.origin}, but the server expects to be at ${publicUrl}. People can't sign in at another address.`}</Text>
      <Text>If this address is the right one, set these environment variables and restart the server:</Text>
      <CopyText text={lines.join('\n')} label="environment variables" block />
      {isOpen && <Text>It then prints a new link to set it up.</Text>}
    </Panel>
  );
}

/** Returns the code in the fragment, or '', and removes it from the address, so that it isn't shared or bookmarked. */
function takeCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? '';
  if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
