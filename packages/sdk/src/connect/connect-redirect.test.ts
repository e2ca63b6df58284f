import { ConnectRedirectError, readConnectRedirect } from './connect-redirect.ts';

const back = 'https://app.example.org/connected';
const expected = { state: 's1' };

describe('the redirect at the end of a connect', () => {
  it('names the connections that were made', () => {
    expect(
      readConnectRedirect(`${back}?success=true&health_system_id=7&connection_id=a&connection_id=b&state=s1`, expected),
    ).toEqual({ success: true, health_system_id: 7, health_system_ids: [7], connection_ids: ['a', 'b'] });
  });

  it('names all health systems of the connect pages, or none when the user has left them', () => {
    expect(
      readConnectRedirect(
        `${back}?success=true&connection_id=a&connection_id=b&health_system_id=7&health_system_id=9&state=s1`,
        expected,
      ),
    ).toMatchObject({ health_system_id: 7, health_system_ids: [7, 9] });
    expect(readConnectRedirect(`${back}?success=false&error=access_denied&state=s1`, expected)).toEqual({
      success: false,
      error: 'access_denied',
    });
  });

  it('has the error of a refused connect', () => {
    expect(
      readConnectRedirect(`${back}?success=false&error=access_denied&health_system_id=7&state=s1`, expected),
    ).toEqual({ success: false, health_system_id: 7, error: 'access_denied' });
  });

  it.each([
    ['another state', '?success=true&health_system_id=7&state=s2'],
    ['no state', '?success=true&health_system_id=7'],
    ['no health system', '?success=true&state=s1'],
    ['a malformed health system', '?success=true&health_system_id=7x&state=s1'],
    ['no result', '?health_system_id=7&state=s1'],
  ])('is refused with %s', (_case, query) => {
    expect(() => readConnectRedirect(back + query, expected)).toThrow(ConnectRedirectError);
  });

  it('is refused when the application has kept no state', () => {
    expect(() => readConnectRedirect(`${back}?success=true&health_system_id=7&state=`, { state: '' })).toThrow(
      ConnectRedirectError,
    );
  });
});
