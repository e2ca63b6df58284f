import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import type { FoundSystem, SearchScreen } from '../../../../src/connect-pages/screens/screens';
import { Heading } from '../heading';
import { LeaveLink } from '../leave-link';
import { type Near, useNear } from '../near';
import { readScreen } from '../read-screen';
import { Address, Name, Text, counted, distanceOf, useWording } from '../texts/texts';

/** How long nothing is typed before a search, in milliseconds. */
const pauseMs = 200;

/** The choice of a health system: a form that works without scripts, and results as one types with them. */
export function SearchView({ screen, leaveUrl }: { screen: SearchScreen; leaveUrl: string | undefined }): ReactNode {
  const { language, texts } = useWording();
  const words = texts.search;
  const [typed, setTyped] = useState(screen.query);
  const query = usePaused(typed);
  const near = useNear();
  const { place } = near;
  /** The results that the document shows, or that were paged to. */
  const [paged, setPaged] = useState<Results>({ query: screen.query, place: undefined, offset: screen.offset });
  const offset = paged.query === query && paged.place === place ? paged.offset : 0;
  const isFirst = query === screen.query && place === undefined && offset === screen.offset;
  const status = useRef<HTMLParagraphElement>(null);
  const {
    data: found = screen,
    isError,
    isFetching,
  } = useQuery({
    queryKey: ['search', screen.path, query, offset, place],
    queryFn: ({ signal }) =>
      readScreen(
        searchUrl(screen.path, query, offset),
        'search',
        signal,
        place === undefined ? {} : { 'Connect-Near': place },
      ),
    ...(isFirst ? { initialData: screen } : {}),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  // A reload, and the way back from the next screen, lead to these results, but for the order by a place.
  const address = searchUrl(screen.path, found.query, place === undefined ? found.offset : 0);
  useEffect(() => {
    if (found !== screen) history.replaceState(null, '', address);
  }, [found, screen, address]);
  const count = counted(language, words.found, found.total);
  const next = found.offset + found.limit;
  const pageLink = (to: number, text: string): ReactNode => (
    <a
      href={searchUrl(screen.path, found.query, to)}
      onClick={(event) => {
        // The next document would not know the place.
        if (place === undefined) return;
        event.preventDefault();
        setPaged({ query: found.query, place, offset: to });
        status.current?.focus();
      }}
    >
      {text}
    </a>
  );
  return (
    <>
      <Heading>
        <Text of={words.title} />
      </Heading>
      <form method="get" action={`${screen.path}/search`} role="search">
        <label htmlFor="query">{words.label}</label>
        <div className="field">
          <input
            id="query"
            type="search"
            name="query"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            autoComplete="off"
            aria-describedby="hint"
            maxLength={1000}
          />
          <button className="primary">{words.submit}</button>
        </div>
        <p id="hint" className="muted">
          {words.hint}
        </p>
      </form>
      <NearChoice near={near} />
      <p role="status" className="muted" tabIndex={-1} ref={status}>
        {isError ? words.failed : count}
      </p>
      <ul className="choices" aria-busy={isFetching}>
        {found.systems.map((system) => (
          <li key={system.id}>
            <Choice path={screen.path} system={system} />
          </li>
        ))}
      </ul>
      {(found.offset > 0 || next < found.total) && (
        <nav className="actions">
          {found.offset > 0 && pageLink(Math.max(0, found.offset - found.limit), words.before)}
          {next < found.total && pageLink(next, words.more)}
        </nav>
      )}
      <details open={found.total === 0}>
        <summary>{words.cannotFind}</summary>
        <ul>
          {words.tips.map((tip) => (
            <li key={tip}>{tip}</li>
          ))}
        </ul>
      </details>
      <div className="actions">
        {screen.hasPlaces && <a href={`${screen.path}/places`}>{words.toPlaces}</a>}
        <LeaveLink href={leaveUrl}>{texts.notNow}</LeaveLink>
      </div>
    </>
  );
}

/** Which results are shown. */
interface Results {
  query: string;
  place: string | undefined;
  offset: number;
}

/** Scripts alone can ask where the user is. Its place is kept until they run, so that nothing shifts then. */
function NearChoice({ near: { state, toggle } }: { near: Near }): ReactNode {
  const { texts } = useWording();
  const words = texts.search.near;
  if (state === 'absent') return null;
  return (
    <div className={state === 'loading' ? 'near loading' : 'near'}>
      <button type="button" onClick={toggle} aria-disabled={state === 'asking'}>
        {state === 'on' ? words.end : words.begin}
      </button>
      <span role="status" className="muted">
        {state === 'asking' && words.asking}
        {state === 'on' && words.explained}
        {state === 'failed' && words.failed}
      </span>
    </div>
  );
}

function Choice({ path, system }: { path: string; system: FoundSystem }): ReactNode {
  const { language, texts } = useWording();
  const { id, name, address, isConnectable, logo, distanceKm } = system;
  const content = (
    <>
      {logo === undefined ? null : <img src={logo} alt="" width={40} height={40} />}
      <span>
        <strong>
          <Name>{name}</Name>
        </strong>
        {address === '' ? null : (
          <span className="muted">
            <Address>{address}</Address>
          </span>
        )}
        {distanceKm === undefined ? null : (
          <span className="muted">
            <Text of={texts.search.near.distance} values={{ distance: distanceOf(language, distanceKm) }} />
          </span>
        )}
        {isConnectable ? null : <span className="muted">{texts.search.unsupported}</span>}
      </span>
    </>
  );
  return isConnectable ? (
    <a className="choice" href={`${path}/systems/${id}`}>
      {content}
    </a>
  ) : (
    <div className="choice">{content}</div>
  );
}

/** A value after it has not changed for a moment. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return useDeferredValue(paused);
}

function searchUrl(path: string, query: string, offset = 0): string {
  const parameters = new URLSearchParams({ query, ...(offset === 0 ? {} : { offset: String(offset) }) });
  return `${path}/search?${parameters.toString()}`;
}
