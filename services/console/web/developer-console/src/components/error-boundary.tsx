import { Component, type ReactNode } from 'react';

/** After a failure of the page itself, such as a script of an older version that is gone. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main className="narrow">
        <h1>The page failed</h1>
        <p>Nothing that you have saved is lost. Load the page again; the console may have been updated.</p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          Load again
        </button>
      </main>
    );
  }
}
