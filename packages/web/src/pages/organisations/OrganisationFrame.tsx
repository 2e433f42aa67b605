// The frame of the pages of an organisation: its name, the caller's role and links to its parts.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listOrganisationAuditEntries } from '@chauffeur/contract/operations/audit';
import { getOrganisation } from '@chauffeur/contract/operations/organisations';
import { ROLES } from '@chauffeur/contract/roles';
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { ask } from '../../api.ts';
import { PageTabs, tab } from '../../frame/PageTabs.tsx';
import { isMissing, UnknownPage } from '../../frame/UnknownPage.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { mayCall, OwnRole } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';

const PARTS = [
  { to: '/org/$organisation', name: 'Overview', read: getOrganisation },
  { to: '/org/$organisation/audit', name: 'Audit log', read: listOrganisationAuditEntries },
] as const;

const REQUIRED = {
  second_factor: 'Everyone must sign in with a second factor.',
  single_sign_on: 'Everyone must use single sign-on.',
} as const;

type FrameProps = { route: '/signed-in/org/$organisation' | '/signed-in/org/$organisation/audit'; part: string };

export function OrganisationFrame(props: FrameProps & { children: (organisation: Organisation) => ReactNode }) {
  const { route, part, children } = props;
  const { organisation: ref } = getRouteApi(route).useParams();
  const { data, error, isPending, refetch } = useQuery(ask(getOrganisation, { organisation: ref }));
  useCurrentAddress(route, ref, data);
  if (isMissing(error) && data === undefined) return <UnknownPage />;
  const name = data?.name ?? 'Organisation';
  return (
    <Stack gap="lg" data-wide={part === 'Audit log' || undefined}>
      <Stack gap={4}>
        <PageHead title={name} tabTitle={part === 'Overview' ? name : `${part} · ${name}`} />
        {data !== undefined && <AboutSignIn organisation={data} />}
      </Stack>
      {isPending && <Skeleton h={240} />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <Parts organisation={data} />
          <OwnRole value={{ of: 'organisation', role: data.role }}>{children(data)}</OwnRole>
        </>
      )}
    </Stack>
  );
}

/** Shows the current address of an organisation that was opened by its uid or by a former address. */
function useCurrentAddress(route: FrameProps['route'], ref: string, organisation: Organisation | undefined): void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const address = organisation?.slug ?? organisation?.organisation_uid ?? ref;
  useEffect(() => {
    if (address === ref) return;
    queries.setQueryData(ask(getOrganisation, { organisation: address }).queryKey, organisation);
    const to = route === '/signed-in/org/$organisation' ? '/org/$organisation' : '/org/$organisation/audit';
    void navigate({ to, params: { organisation: address }, search: (search) => search, hash: true, replace: true });
  }, [queries, navigate, route, ref, address, organisation]);
}

function AboutSignIn({ organisation: { role, required_sign_in: required } }: { organisation: Organisation }) {
  return (
    <Text size="sm" c="dimmed">
      Your role is {ROLES[role].label.toLowerCase()}. {required !== null && REQUIRED[required]}
    </Text>
  );
}

function Parts({ organisation: { role, slug, organisation_uid: uid } }: { organisation: Organisation }) {
  const parts = PARTS.filter(({ read }) => mayCall(role, read));
  if (parts.length < 2) return null;
  return (
    <PageTabs label="Organisation">
      {parts.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          params={{ organisation: slug ?? uid }}
          className={tab}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {name}
        </Link>
      ))}
    </PageTabs>
  );
}

export type Organisation = OutputOf<typeof getOrganisation>;
