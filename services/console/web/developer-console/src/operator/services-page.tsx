import type { ServiceState } from '@tributary/contracts';
import type { ReactNode } from 'react';
import { keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { ReadAt } from '../components/time';
import { OfOperator } from './of-operator';

/** Whether the services of the suite are ready. */
export function OperatorServices(): ReactNode {
  return (
    <OfOperator>
      <Services />
    </OfOperator>
  );
}

function Services(): ReactNode {
  const found = useAnswer<{ entry: ServiceState[] }>(keys.operator('services'), 'operator/services');
  return (
    <Page
      title="Services"
      actions={
        <button type="button" onClick={() => void found.refetch()}>
          Look again
        </button>
      }
    >
      <Answer query={found} lines={10}>
        {({ entry }) => {
          const versions = new Set(entry.flatMap(({ version }) => (version === undefined ? [] : [version])));
          return (
            <>
              {versions.size > 1 && (
                <Notice kind="warning">
                  The services have several versions: {[...versions].join(', ')}. That is right during an upgrade only.
                </Notice>
              )}
              <DataTable
                caption="Services"
                rows={entry}
                keyOf={({ service }) => service}
                columns={[
                  {
                    header: 'Service',
                    cell: (state) => (
                      <>
                        {state.service}
                        {[
                          state.version === undefined ? 'Version not known' : `Version ${state.version}`,
                          ...reasonsOf(state),
                        ].map((line) => (
                          <span key={line} className="second-line">
                            {line}
                          </span>
                        ))}
                      </>
                    ),
                  },
                  { header: 'State', cell: ({ status }) => states[status] },
                ]}
              />
              <p className="muted">
                <ReadAt at={found.dataUpdatedAt} /> Each row is of the replica that has answered. How many replicas a
                service has, and the state of the others, is not known here: see the gateway and the monitoring.
              </p>
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

const states: Record<ServiceState['status'], ReactNode> = {
  ready: <Status kind="good">Ready</Status>,
  'not ready': <Status kind="bad">Not ready</Status>,
  stopping: <Status kind="waiting">Stopping</Status>,
  unreachable: <Status kind="bad">No answer</Status>,
};

/** What a failed check means, and what to look at. */
const checks: Readonly<Record<string, string>> = {
  database: 'PostgreSQL does not answer it: look at the database and its connections.',
  records: 'The tables of fhir-store cannot be read: look at the database and the rights of its role.',
  'key-encryption key': 'Its key-encryption key opens no stored key: compare it with that of fhir-store.',
  directory: 'The directory of health systems was not read yet: look at the database.',
  queue: 'Redis does not answer it: look at Redis and its users.',
};

function reasonsOf({ status, missing }: ServiceState): string[] {
  if (status === 'unreachable') return ['It does not run, or its network or certificate is wrong: look at its log.'];
  return missing.map((check) => checks[check] ?? `The check "${check}" fails: look at its log.`);
}
