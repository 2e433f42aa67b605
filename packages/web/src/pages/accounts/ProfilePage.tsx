// Account settings: name, email, public page, a copy of one's data, and deleting the account.
import { findDisplayNameProblem } from '@chauffeur/contract/display-name';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { deleteAccount, exportAccount, rename } from '../../account-calls.ts';
import { useTitle } from '../../frame/page-title.ts';
import { type Person, session } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { NameField, PasswordField } from './AccountFields.tsx';
import { EmailForm } from './EmailForm.tsx';
import { HandleForm } from './HandleForm.tsx';

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
          Everything that is stored about your account, as a JSON file: profile, sessions, keys by name, games, teams,
          bug reports, follows and your entries in audit logs. Passwords, keys and tokens are not in it.
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
          you filed stay with their games, without your name. If you own games, transfer or delete them first.
        </Text>
        <Text size="sm">
          <SiteLink to="/dev">See your games</SiteLink>
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
