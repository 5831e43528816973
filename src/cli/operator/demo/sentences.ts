/** The test of the bundled site: forms, navigation and changing content. */
export const DEMO_SENTENCES = `Go to /todo
Type "Buy milk" into "What needs to be done?" and press Enter
Type "Read the log" into "What needs to be done?" and press Enter
I should see "4 items left"
Tick the checkbox in the "Buy milk" item
Click the Completed link
I should see "Buy milk"
I should not see "Read the log"
Click Commands, then click the Actions link
Fill "Email address" with "ann@example.com"
Type "HALFOFF" into "Coupon Code" and click the Submit button
I should see "Your form has been submitted!"
The URL should be "*/commands/actions"
Take a screenshot called "the end"
`;

/** The default test of a site given with --url. */
export const ANY_SITE_SENTENCES = `Go to /
Take a screenshot called "the start page"
`;
