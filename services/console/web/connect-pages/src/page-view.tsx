import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { PageData, Screen } from '../../../src/connect-pages/screens/screens';
import { LogoProvider } from './heading';
import { PageEnded } from './read-screen';
import { OriginsProvider, useMessage } from './messages';
import { ErrorView } from './screens/error-view';
import { PlacesView } from './screens/places-view';
import { ReviewView } from './screens/review-view';
import { SearchView } from './screens/search-view';
import { WindowView } from './screens/window-view';
import { WordingProvider, wordingOf } from './texts/texts';
import { ThemeSwitch } from './theme-switch';

/** A page, as the server renders it and the browser takes it over. */
export function PageView({ data }: { data: PageData }): ReactNode {
  const [ended, setEnded] = useState<Screen>();
  const [client] = useState(() => {
    const onError = (error: unknown): void => {
      if (error instanceof PageEnded) setEnded(endedScreen(error.status, data.leaveUrl));
    };
    return new QueryClient({ queryCache: new QueryCache({ onError }) });
  });
  return (
    <QueryClientProvider client={client}>
      <WordingProvider value={wordingOf(data.language, data.appName)}>
        <main>
          <LogoProvider value={data.appLogo}>
            <OriginsProvider value={data.messageOrigins}>
              <ScreenView screen={ended ?? data.screen} leaveUrl={data.leaveUrl} />
            </OriginsProvider>
          </LogoProvider>
        </main>
        <footer>
          <ThemeSwitch />
        </footer>
      </WordingProvider>
    </QueryClientProvider>
  );
}

/** In a frame: a document would not know the application any more, nor the way back to it. */
function endedScreen(status: number, backUrl: string | undefined): Screen {
  return {
    name: 'error',
    error: status === 401 ? 'sign_in_ended' : 'page_ended',
    ...(backUrl === undefined ? {} : { backUrl }),
    code: status === 401 ? 'invalid_token' : 'connect_page_ended',
    status,
    requestId: '',
  };
}

function ScreenView({ screen, leaveUrl }: { screen: Screen; leaveUrl: string | undefined }): ReactNode {
  useMessage(screen.name === 'error' ? { tributary: 'failed', error: screen.error } : { tributary: 'opened' });
  switch (screen.name) {
    case 'search':
      return <SearchView screen={screen} leaveUrl={leaveUrl} />;
    case 'review':
      return <ReviewView screen={screen} leaveUrl={leaveUrl} />;
    case 'places':
      return <PlacesView screen={screen} leaveUrl={leaveUrl} />;
    case 'window':
      return <WindowView />;
    case 'error':
      return <ErrorView screen={screen} />;
  }
}
