// Account settings: name, email, public page, a copy of the person's data, and deleting the account.
import { findDisplayNameProblem } from '@chauffeur/contract/display-name';
import { getProfile, updateProfile } from '@chauffeur/contract/operations/accounts';
import { findHandleProblem } from '@chauffeur/contract/slug';
import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changeEmail, deleteAccount, exportAccount, rename } from '../../account-calls.ts';
import { ask, call } from '../../api.ts';
import { saveFile } from '../../file-transfer.ts';
import { useTitle } from '../../frame/page-title.ts';
import { type Person, session } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { EmailField, FIELD_SIZE, NameField, PasswordField } from './AccountForm.tsx';

export function ProfilePage() {
  useTitle('Profile');
  const { data: person } = useQuery(session);
  if (person == null) return null;
  return (
    <Stack gap="xl">
      <NameForm key={person.id} person={person} />
      <EmailForm key={person.email} person={person} />
      <HandleForm />
      <ExportForm />
      <DeleteForm />
    </Stack>
  );
}

function NameForm({ person }: { person: Person }) {
  const [name, setName] = useState(person.name);
  const problem = findDisplayNameProblem(name);
  const queries = useQueryClient();
  const renaming = useMutation({
    mutationFn: () => rename(name),
    onSuccess: () => queries.invalidateQueries({ queryKey: session.queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Name">
      <Stack gap="sm" align="flex-start">
        <NameField value={name} onChange={setName} problem={name === '' ? null : problem} />
        {renaming.error !== null && <Problem error={renaming.error} />}
        <Group gap="sm">
          <Button type="submit" loading={renaming.isPending} disabled={name === person.name || problem !== null}>
            Save
          </Button>
          {renaming.isSuccess && name === person.name && (
            <Text size="sm" role="status">
              Saved
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function ExportForm() {
  const exporting = useMutation({
    mutationFn: exportAccount,
    onSuccess: (file) => saveFile(`chauffeur-account-${new Date().toISOString().slice(0, 10)}.json`, file),
  });
  return (
    <section aria-labelledby="your-data">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4" id="your-data">
          Your data
        </Title>
        <Text size="sm">
          Everything that is stored about your account, as a JSON file: profile, sessions, names of keys, games, teams,
          bug reports, follows and your entries in audit logs. Passwords, keys and tokens are not included.
        </Text>
        {exporting.error !== null && <Problem error={exporting.error} />}
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          Download your data
        </Button>
      </Stack>
    </section>
  );
}

function DeleteForm() {
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => deleteAccount(password),
    onSuccess: () => {
      queries.clear();
      location.assign('/');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    deleting.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Delete account">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          Delete account
        </Title>
        <Text size="sm">
          Your name, email, sessions, personal keys and memberships are deleted immediately and permanently. Bug reports
          you filed stay with their games, without your name. If you own games, transfer or delete{' '}
          <SiteLink to="/dev">your games</SiteLink> first.
        </Text>
        {deleting.error !== null && <Problem error={deleting.error} />}
        <PasswordField label="Your password" value={password} onChange={setPassword} />
        <Button type="submit" color="red" variant="light" loading={deleting.isPending}>
          Delete account
        </Button>
      </Stack>
    </form>
  );
}

const profile = ask(getProfile, {});

/** The form to choose, change or remove the handle of your public page. */
function HandleForm() {
  const { data, error, refetch } = useQuery(profile);
  return (
    <section aria-labelledby="handle">
      <Title order={2} size="h4" mb="xs" id="handle">
        Your public page
      </Title>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={96} /> : <Fields key={data.handle} handle={data.handle} />}
    </section>
  );
}

function Fields({ handle }: { handle: string | null }) {
  const [text, setText] = useState(handle ?? '');
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: (next: string | null) => call(updateProfile, { handle: next }),
    onSuccess: (saved) => queries.setQueryData(profile.queryKey, saved),
  });
  const entered = text.trim() === '' ? null : text.trim().replace(/^@/, '');
  const problem = entered === null ? null : findHandleProblem(entered);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === null) saving.mutate(entered);
  };
  return (
    <form onSubmit={submit} aria-label="Handle">
      <Stack gap="sm" align="flex-start">
        <TextInput
          data-field="handle"
          label="Handle"
          description="Your public page shows your name and your public games. If you change the handle, old links lead to the new one."
          leftSection={<Text size="sm">@</Text>}
          spellCheck={false}
          autoCapitalize="none"
          {...FIELD_SIZE}
          value={text}
          error={problem === null ? undefined : `Please ${problem}.`}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {saving.error !== null && <Problem error={saving.error} />}
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending} disabled={entered === handle || problem !== null}>
            {entered === null && handle !== null ? 'Remove handle' : 'Save'}
          </Button>
          {handle !== null && (
            <Anchor href={`/@${handle}`} size="sm">
              View your page
            </Anchor>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** The account's email address: whether it is verified, and a form to change it. */
function EmailForm({ person }: { person: Person }) {
  const [next, setNext] = useState('');
  const changing = useMutation({ mutationFn: () => changeEmail(next) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Email">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          Email
        </Title>
        <Group gap="xs">
          <Text size="sm">{person.email}</Text>
          <StateBadge tone={person.emailVerified ? 'good' : 'unsure'}>
            {person.emailVerified ? 'Verified' : 'Not verified'}
          </StateBadge>
        </Group>
        <EmailField label="New email" autoComplete="off" value={next} onChange={setNext} />
        <Text size="sm" c="dimmed">
          {person.emailVerified
            ? "We'll email a link to your current address first, then one to the new address. Open both to confirm the change."
            : "We'll email a link to the new address. Open it to confirm the change."}
        </Text>
        {changing.error !== null && <Problem error={changing.error} />}
        <Button type="submit" variant="default" loading={changing.isPending}>
          Change email
        </Button>
        {changing.isSuccess && (
          <Text size="sm" role="status">
            Check your email. We sent a link to {person.emailVerified ? person.email : next}. It expires in 24 hours.
          </Text>
        )}
      </Stack>
    </form>
  );
}
