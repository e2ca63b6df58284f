import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { call } from '../api/request';
import { type ClientPageProps, OfClient } from '../clients/of-client';
import { Skeleton } from '../components/answer';
import { Failure } from '../components/notice';
import { useParameters } from '../components/use-parameters';
import { OperationList } from './operation-list';
import { OperationView } from './operation-view';
import { type ApiDocument, documents, operationsOf } from './operations';

/** Every operation of the public APIs, to be tried with the own identifiers. */
export function ExplorerPage(): ReactNode {
  return <OfClient title="API explorer">{(props) => <Explorer {...props} />}</OfClient>;
}

function Explorer({ client, organisation }: ClientPageProps): ReactNode {
  const [parameters, change] = useParameters();
  const { read, failures, isComplete } = useQueries({
    queries: documents.map(({ name }) => ({
      queryKey: ['documents', name],
      queryFn: () => call<ApiDocument>('GET', `documents/${name}`),
      staleTime: Infinity,
    })),
    combine: (results) => ({
      read: results.map(({ data }) => data),
      failures: results.filter(({ error }) => error),
      isComplete: results.every(({ isPending }) => !isPending),
    }),
  });
  const operations = useMemo(
    () =>
      documents.flatMap((document, index) => {
        const content = read[index];
        return content ? operationsOf(content, document) : [];
      }),
    [read],
  );
  const key = parameters.get('operation') ?? undefined;
  const user = parameters.get('user') ?? undefined;
  const shown = operations.find((operation) => operation.key === key);
  const addressOf = (operation: string): string => {
    const next = new URLSearchParams({ operation, ...(user === undefined ? {} : { user }) });
    return `?${next.toString()}`;
  };
  if (!isComplete) return <Skeleton lines={10} />;
  return (
    <>
      {failures[0] && (
        <Failure error={failures[0].error} retry={() => void Promise.all(failures.map(({ refetch }) => refetch()))} />
      )}
      <div className={shown ? 'explorer has-operation' : 'explorer'}>
        <OperationList operations={operations} shown={key} addressOf={addressOf} />
        <div className="explorer-main">
          {shown ? (
            <>
              <Link className="to-list" to={user === undefined ? '?' : `?user=${user}`}>
                All operations
              </Link>
              <OperationView
                key={shown.key}
                operation={shown}
                client={client}
                organisation={organisation}
                user={user}
                chooseUser={(id) => change({ user: id })}
              />
            </>
          ) : (
            <p className="muted explorer-hint">
              Choose an operation. Its form begins with the identifiers of this application, the command is the one that
              your server sends, and what takes the credentials of the application can be sent from here.
            </p>
          )}
        </div>
      </div>
    </>
  );
}
