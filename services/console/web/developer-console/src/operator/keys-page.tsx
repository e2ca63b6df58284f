import type { CountedKeysStatus } from '@tributary/contracts';
import type { ReactNode } from 'react';
import type { KeysOfService, KeysProblem } from '../api/answers';
import { keys, useAnswer } from '../api/queries';
import { Answer } from '../components/answer';
import { DataTable } from '../components/data-table';
import { Notice } from '../components/notice';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { ReadAt } from '../components/time';
import { countText, numberText, sentence } from '../text';
import { OfOperator } from './of-operator';
import { ByCommand } from './search-list';

type KeyVersion = CountedKeysStatus['versions'][number];

/** The versions of the key-encryption keys. They are changed by command only. */
export function OperatorKeys(): ReactNode {
  return (
    <OfOperator>
      <Keys />
    </OfOperator>
  );
}

function Keys(): ReactNode {
  const found = useAnswer<{ entry: KeysOfService[] }>(keys.operator('keys'), 'operator/keys');
  return (
    <Page
      title="Keys"
      actions={
        <button type="button" onClick={() => void found.refetch()}>
          Look again
        </button>
      }
    >
      <section>
        <p className="muted">
          Each service wraps its data keys by a key-encryption key of its own. This page shows its versions, and no key.
        </p>
      </section>
      <Answer query={found} lines={12}>
        {({ entry }) => {
          const retirable = entry.flatMap((each) => ('status' in each ? retirableOf(each.status) : []));
          return (
            <>
              {entry.map((each) => (
                <section key={each.service}>
                  <h2>{each.service}</h2>
                  {'status' in each ? <StatusOf {...each} /> : problems[each.problem]}
                </section>
              ))}
              <p className="muted">
                <ReadAt at={found.dataUpdatedAt} /> The keys were counted within the minute before.
              </p>
              <ByCommand command="keys status" what="show the versions and count the keys now" />
              <ByCommand command="keys rotate" what="wrap all keys by a new version, or finish the rotation" />
              {retirable.map(({ id }) => (
                <ByCommand key={id} command={`keys retire ${id}`} what={`give up ${id}, which wraps no key`} />
              ))}
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

const problems: Record<KeysProblem, ReactNode> = {
  unreachable: <Notice kind="bad">No connection: it does not run, or its network or certificate is wrong.</Notice>,
  unsupported: (
    <Notice kind="warning">
      It cannot tell the status of its keys: it runs an older version, as it does in an upgrade.
    </Notice>
  ),
  refused: (
    <Notice kind="bad">
      It refuses the console: <code>SERVICE_KEYS</code> of this service has no key of the console, or another one.
    </Notice>
  ),
  failed: (
    <Notice kind="bad">
      No answer in time, or an error: counting its keys takes too long, or its key service or database fails. Its log
      has the reason.
    </Notice>
  ),
};

function StatusOf({ service, status }: { service: string; status: CountedKeysStatus }): ReactNode {
  const { versions, unknown, not_noted: notNoted } = status;
  const older = versions.reduce((sum, { state, keys: count }) => sum + (state === 'accepted' ? count : 0), notNoted);
  return (
    <>
      {unknown.map(({ id, keys: count }) => (
        <Notice key={id} kind="bad">
          {countText(count, 'key')} of version <code>{id}</code> cannot be opened: restore this version.
        </Notice>
      ))}
      {older > 0 && (
        <Notice kind="warning">
          The rotation is not finished: {countText(older, 'key')} {older === 1 ? 'is' : 'are'} wrapped by an older
          version{notNoted > 0 && `, ${numberText(notNoted)} of them by one that is not noted`}. The command{' '}
          <code>keys rotate</code> goes on with it.
        </Notice>
      )}
      {versions.length === 0 ? (
        <p className="muted">It has wrapped no key yet: the first one makes the first version.</p>
      ) : (
        <DataTable
          caption={`Versions of ${service}`}
          rows={versions}
          keyOf={({ id }) => id}
          columns={[
            {
              header: 'Version',
              cell: ({ id, origin, state, used_in_seconds: seconds }) => (
                <>
                  <code>{id}</code>
                  <span className="second-line">{states[state]}</span>
                  <span className="second-line">
                    {sentence(origin).slice(0, -1)}
                    {seconds !== undefined && `, will be used in ${countText(Math.ceil(seconds), 'second')}`}
                  </span>
                </>
              ),
            },
            { header: 'Keys', cell: ({ keys: count }) => numberText(count), isNumber: true },
          ]}
        />
      )}
    </>
  );
}

const states: Record<KeyVersion['state'], ReactNode> = {
  current: <Status kind="good">Wraps</Status>,
  accepted: <Status kind="off">Opens only</Status>,
  waiting: <Status kind="waiting">Not used yet</Status>,
  retired: <Status kind="off">Retired</Status>,
};

/** The older versions that wrap no key any more. */
function retirableOf({ versions, not_noted: notNoted }: CountedKeysStatus): KeyVersion[] {
  return notNoted > 0 ? [] : versions.filter(({ state, keys: count }) => state === 'accepted' && count === 0);
}
