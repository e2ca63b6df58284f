import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { OperatedOrganisation, OrganisationWithMembers } from '../api/answers';
import { keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { Copyable } from '../components/copy-button';
import { Panel } from '../components/dialogs';
import { Status } from '../components/status';
import { roleNames } from '../organisations/roles';
import { dateText, numberText, timeText } from '../text';
import { ChangeButton } from './change-button';
import { ClientsLayout } from './clients-layout';
import { SearchList } from './search-list';

/** All organisations of developers. */
export function OperatorOrganisations(): ReactNode {
  return (
    <ClientsLayout>
      <SearchList<OperatedOrganisation>
        caption="Organisations"
        noun="organisation"
        path="organisations"
        searched="Find by name or id"
        keyOf={({ id }) => id}
        columns={[
          { header: 'Name', cell: ({ name }) => name },
          { header: 'Live applications', cell: (organisation) => <Live organisation={organisation} /> },
          { header: 'Members', cell: ({ members }) => numberText(members), isNumber: true, isWideOnly: true },
          { header: 'Since', cell: ({ created_at: at }) => dateText(at), isWideOnly: true },
        ]}
        command="organisation list"
        panel={(id, organisation, close) => (
          <Panel key={id} title={organisation?.name ?? 'Organisation'} close={close}>
            <Details id={id} />
          </Panel>
        )}
      />
    </ClientsLayout>
  );
}

function Live({ organisation }: { organisation: OperatedOrganisation }): ReactNode {
  return organisation.may_have_live_clients ? (
    <Status kind="good">Allowed</Status>
  ) : (
    <Status kind="off">Not allowed</Status>
  );
}

function Details({ id }: { id: string }): ReactNode {
  const path = `organisations/${id}`;
  const found = useAnswer<OrganisationWithMembers>(keys.operator(path), `operator/${path}`);
  return (
    <Answer query={found} lines={8}>
      {(organisation) => (
        <>
          <dl className="facts">
            <dt>id</dt>
            <dd>
              <Copyable text={organisation.id} what="id" />
            </dd>
            <dt>Live applications</dt>
            <dd>
              <Live organisation={organisation} />
            </dd>
            <dt>Since</dt>
            <dd>{timeText(organisation.created_at)}</dd>
            <dt>Applications</dt>
            <dd>
              <Link to={`/operator/clients?${new URLSearchParams({ text: id }).toString()}`}>
                Show its applications
              </Link>
            </dd>
          </dl>
          <h3>Members</h3>
          <ul className="rows">
            {organisation.member.map(({ account_id: account, email, name, role }) => (
              <li key={account}>
                <div>
                  <strong>{name}</strong>
                  <span className="muted">
                    {email}, {roleNames[role].toLowerCase()}
                  </span>
                </div>
              </li>
            ))}
          </ul>
          <div className="panel-end">
            <div className="button-row">
              {organisation.may_have_live_clients ? (
                <ChangeButton
                  action="Refuse live applications"
                  title={`Refuse live applications of ${organisation.name}?`}
                  isDanger
                  path={path}
                  body={{ may_have_live_clients: false }}
                  done={`${organisation.name} may have no further live applications.`}
                >
                  <p>Its developers can create no further live applications. Those that it has go on.</p>
                </ChangeButton>
              ) : (
                <ChangeButton
                  action="Allow live applications"
                  title={`Allow live applications of ${organisation.name}?`}
                  path={path}
                  body={{ may_have_live_clients: true }}
                  done={`${organisation.name} may have live applications.`}
                >
                  <p>
                    Its developers can create applications whose users connect to real health systems. Verify who the
                    organisation is before.
                  </p>
                </ChangeButton>
              )}
            </div>
          </div>
        </>
      )}
    </Answer>
  );
}
