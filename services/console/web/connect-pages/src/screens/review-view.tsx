import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { RedirectError } from '@tributary/contracts';
import type { ReviewScreen } from '../../../../src/connect-pages/screens/screens';
import { Heading } from '../heading';
import { LeaveLink } from '../leave-link';
import { useMessage } from '../messages';
import { readMade } from '../read-screen';
import { kindsOf } from '../texts/kinds';
import { Address, Name, Text, timeOf, useWording } from '../texts/texts';

/** After these, the same attempt cannot succeed. */
const isFinal: ReadonlySet<RedirectError> = new Set(['invalid_scope', 'not_registered', 'user_inactive']);

/** How often a page in a frame asks whether the window beside it has connected something, in milliseconds. */
const everyMs = 1500;

/** Goes on to the places when more connections were made than before. @param made undefined: nobody waits */
function useConnected(path: string, made: number | undefined): void {
  const { data } = useQuery({
    queryKey: ['made', path],
    queryFn: ({ signal }) => readMade(path, signal),
    enabled: made !== undefined,
    refetchInterval: everyMs,
    retry: false,
  });
  const isConnected = data !== undefined && made !== undefined && data.made > made;
  useEffect(() => {
    if (isConnected) location.assign(`${path}/places`);
  }, [isConnected, path]);
}

/** What the user agrees to before the sign-in at the health system, and why the last attempt failed. */
export function ReviewView({ screen, leaveUrl }: { screen: ReviewScreen; leaveUrl: string | undefined }): ReactNode {
  const { texts } = useWording();
  const words = texts.review;
  const { path, system, connectionId, error, window: other } = screen;
  const [isOpened, setOpened] = useState(false);
  useConnected(path, isOpened ? other?.made : undefined);
  useMessage(error && { tributary: 'failed', error });
  const values = { system: <Name>{system.name}</Name> };
  const failure = error && texts.failures[error];
  const toPlaces = <a href={`${path}/places`}>{words.goOn}</a>;
  const isOver = error !== undefined && isFinal.has(error);
  const isOtherPerson = error === 'other_person';
  return (
    <>
      <Heading>
        <Text of={failure?.title ?? words.title} values={values} />
      </Heading>
      {failure && (
        <div className="notice warning">
          <p>
            <Text of={failure.happened} values={values} />
          </p>
          <p>
            <Text of={failure.next} values={values} />
          </p>
        </div>
      )}
      {isOver ? null : <Agreement screen={screen} />}
      {isOpened && (
        <p className="notice" role="status">
          <Text of={words.opened} values={values} />
        </p>
      )}
      <form
        method="post"
        action={`${path}/systems/${system.id}`}
        {...(other ? { target: '_blank', rel: 'opener', onSubmit: () => setOpened(true) } : {})}
      >
        {other && <input type="hidden" name="ticket" value={other.ticket} />}
        {connectionId && <input type="hidden" name="connection_id" value={connectionId} />}
        {isOtherPerson && <input type="hidden" name="confirm_person" value="true" />}
        <div className="actions">
          {isOver ? null : (
            <button className="primary">
              <span>
                <Text of={isOtherPerson ? words.anotherPerson : error ? words.again : words.proceed} values={values} />
              </span>
            </button>
          )}
          {other && !isOver && (isOpened ? toPlaces : <noscript>{toPlaces}</noscript>)}
          {error === 'user_inactive' ? null : (
            <a className={isOver ? 'primary' : undefined} href={`${path}/search`}>
              {words.back}
            </a>
          )}
          <LeaveLink href={leaveUrl} isPrimary={error === 'user_inactive'}>
            <span>{isOver ? <Text of={texts.backToApp} /> : texts.notNow}</span>
          </LeaveLink>
        </div>
      </form>
    </>
  );
}

/** What the application receives, and where the user signs in. */
function Agreement({ screen: { system, types, consentDays, accountName } }: { screen: ReviewScreen }): ReactNode {
  const { language, texts } = useWording();
  const words = texts.review;
  const values = { system: <Name>{system.name}</Name> };
  const duration =
    consentDays === undefined
      ? words.duration.unlimited
      : consentDays === 0
        ? words.duration.once
        : words.duration.days;
  return (
    <>
      <section className="card">
        <h2>
          <Name>{system.name}</Name>
        </h2>
        {system.address === '' ? null : (
          <p className="muted">
            <Address>{system.address}</Address>
          </p>
        )}
        <p>
          <Text of={words.receives} values={values} />
        </p>
        <ul>
          {kindsOf(types).map((kind) => (
            <li key={kind}>{texts.kinds[kind]}</li>
          ))}
        </ul>
        <p>
          <Text of={duration} values={{ time: timeOf(language, consentDays ?? 0) }} />
        </p>
      </section>
      <p>
        {accountName === undefined ? (
          <Text of={words.account} />
        ) : (
          <Text of={words.namedAccount} values={{ account: <Name>{accountName}</Name> }} />
        )}
      </p>
      <p className="muted">{words.warning}</p>
      <p className="muted">
        <Text of={words.signIn} values={values} />
      </p>
    </>
  );
}
