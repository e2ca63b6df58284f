/** The public base URLs, as commands that developers copy have them. */
export interface PublicUrls {
  base_url: string;
  auth_url: string;
  search_url: string;
  analytics_url: string;
}

/** What the document tells the script. */
export interface ConsoleFacts {
  /** The path under which the console is, such as `/console`. */
  root: string;
  urls: PublicUrls;
  /** Where the mail of a sandbox is read. */
  mail_url?: string | undefined;
}
