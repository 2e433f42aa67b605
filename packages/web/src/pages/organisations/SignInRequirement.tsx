// What an organisation requires of how people sign in. Its owners change it, and see first who would be kept out.

import type { OutputOf } from '@chauffeur/contract/operation';
import { getOrganisation, getOrganisationSignIn, requireSignIn } from '@chauffeur/contract/operations/organisations';
import type { SignInRequirement as Requirement } from '@chauffeur/contract/required-sign-in';
import { ROLES } from '@chauffeur/contract/roles';
import { Button, Group, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { PERSON_COLUMN } from '../../ui/RoleSelect.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import type { Organisation } from './OrganisationFrame.tsx';

type SignIn = OutputOf<typeof getOrganisationSignIn>;
type Person = SignIn['people'][number];

export function SignInRequirement({ organisation }: { organisation: Organisation }) {
  const uid = organisation.organisation_uid;
  const { data, error, refetch } = useQuery(ask(getOrganisationSignIn, { organisation: uid }));
  return (
    <Section title="Sign-in">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton h={160} />}
      {data !== undefined && <Form key={data.required_sign_in} uid={uid} current={data} />}
    </Section>
  );
}

function Form({ uid, current }: { uid: string; current: SignIn }) {
  const [required, setRequired] = useState(current.required_sign_in);
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: () => call(requireSignIn, { organisation: uid, required_sign_in: required }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [getOrganisationSignIn.id] });
      await queries.invalidateQueries({ queryKey: [getOrganisation.id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Sign-in">
      <Stack gap="sm" align="flex-start">
        <Choices current={current} value={required} onChange={setRequired} />
        {required !== null && <Missing people={current.people} required={required} />}
        {saving.error !== null && <Problem error={saving.error} />}
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending} disabled={required === current.required_sign_in}>
            Save sign-in
          </Button>
          <DocLink page="organisations#require-how-people-sign-in" size="sm">
            What this means for keys, agents and CI
          </DocLink>
        </Group>
      </Stack>
    </form>
  );
}

type ChoicesProps = { current: SignIn; value: Requirement | null; onChange: (value: Requirement | null) => void };

function Choices({ current, value, onChange }: ChoicesProps) {
  const provider = current.single_sign_on;
  return (
    <Radio.Group
      data-field="required_sign_in"
      label="To open this organisation and its games, people must sign in with"
      value={value ?? 'any'}
      onChange={(chosen) => onChange(chosen === 'any' ? null : (chosen as Requirement))}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="any" label="Any method" description="A password is enough." />
        <Radio
          value="second_factor"
          label="A second factor"
          description="A passkey, or a password and a code of an authenticator app."
        />
        <Radio
          value="single_sign_on"
          label="Single sign-on"
          disabled={provider === null && current.required_sign_in !== 'single_sign_on'}
          description={
            provider === null ? 'The operator of this service has not set it up.' : `“${provider}” on the sign-in page.`
          }
        />
      </Stack>
    </Radio.Group>
  );
}

/** The people who have not set up what is required. They are kept out until they do. */
function Missing({ people, required }: { people: readonly Person[]; required: Requirement }) {
  const missing = people.filter((person) => !person[required]);
  if (missing.length === 0) return <StateBadge tone="good">Everyone has set it up</StateBadge>;
  return (
    <Stack gap="xs" w="100%">
      <Text size="sm">
        {missing.length === 1 ? 'One person has' : `${missing.length} people have`} not set it up. They have no access
        until they do, and neither do their agents and commands.
      </Text>
      <DataTable
        label="People who have not set it up"
        columns={COLUMNS}
        rows={missing}
        rowKey={({ user_id }) => user_id}
      />
    </Stack>
  );
}

const COLUMNS: Column<Person>[] = [
  PERSON_COLUMN,
  { header: 'Role', cell: ({ role }) => (role === null ? 'Only on games' : ROLES[role].label) },
];
