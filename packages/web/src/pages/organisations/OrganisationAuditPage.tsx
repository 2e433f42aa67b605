// The audit log of an organisation and its games, for its owners and admins.
import { listOrganisationAuditEntries } from '@chauffeur/contract/operations/audit';
import { getRouteApi } from '@tanstack/react-router';
import { Permitted } from '../../ui/Permitted.tsx';
import { AuditLog } from '../audit/AuditLog.tsx';
import { OrganisationFrame } from './OrganisationFrame.tsx';

const PATH = '/signed-in/org/$organisation/audit';
const route = getRouteApi(PATH);

export function OrganisationAuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <OrganisationFrame route={PATH} part="Audit log">
      {({ organisation_uid: organisation }) => (
        <Permitted operation={listOrganisationAuditEntries} to="see the audit log">
          <AuditLog
            scope={{ organisation }}
            search={search}
            onChange={(changed) => void navigate({ search: changed, replace: true })}
          />
        </Permitted>
      )}
    </OrganisationFrame>
  );
}
