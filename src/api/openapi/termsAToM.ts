/** Descriptions of fields and parameters, from A to M. Format: src/api/openapi/glossary.ts. */
export const termsAToM = `
absent: The reason why the file is missing, null if it is available.
access_token: The access token for \`Authorization: Bearer\`.
action: The action of the step, such as \`click\`.
actor: The user, API key or system that caused the event.
advanced_at: When the read model last made progress.
after: The content after the change.
query.after: Return only events after this sequence number.
agent_id: The id of the agent.
agents: The connected agents.
alg: The algorithm of the key.
allowed: Whether the caller may perform the action.
allowed_pixels: The number of differing pixels that the settings tolerate.
api_key: The API key of the request, null for a session.
api_keys: The maximum number of API keys, null if unlimited.
approved: The approved picture, null if there is none.
approved_at: When the picture was approved.
approved_by: The person who approved the picture.
as_of: The instant of the requested state.
at: The time of the event.
attempt: The number of the attempt, from 1.
attempts: The attempts, first one first.
attention: The provider's events that need an operator's decision.
average_ms: The average duration in milliseconds.
base_url: The start address of tests, null if there is none.
baseline_url: The API path of the compared baseline.
before: The content before the change.
body_sha256: The SHA-256 hash of the provider's request body.
browser: The browser: chromium, firefox or webkit.
browser_version: The version of the browser.
browsers: The browsers: chromium, firefox or webkit.
build: The build that replaces the read model, null if there is none.
by: The person, API key or schedule that made the change.
byo_key: The state of the caller's own model key.
bytes: The size in bytes.
cancelled: The number of cancelled executions.
capacity: The number of executions that the agent runs at once.
causation_id: The event or request that caused the event.
cause: The cause of the event.
cents: The amount in cents, negative for a credit.
change_id: The id of the plan change.
changes: The differences.
checkout_url: The address of the provider's checkout, null if no payment is due.
class_name: The class name in the imported report.
code: The code of the plan.
query.code: The authorisation code of the provider.
column: The differing column.
columns: The names of the columns.
connected_at: When the agent connected.
contact_id: The id of the contact.
content: The text of the file.
content_type: The media type.
correlation_id: The id of the request or process that caused the event.
count: The number of entries.
created: The number of created tests.
created_at: When the resource was created.
cron: The cron expression with five fields.
crv: The curve of the key.
currency: The currency code.
current: The current value.
current_password: The current password.
current_plan: The code of the current plan.
cursor: The \`next_cursor\` of the previous page.
data: The data of the event.
day: The day (UTC).
days: The number of days.
deadline_seconds: How late a tick may start, in seconds, before it counts as missed.
decided_at: When the proposal was accepted or rejected.
delete: Deletes the tests.
deletion_due_at: When the organisation will be deleted, null if no deletion is scheduled.
delivery: The number of the delivery to an executor, from 1.
depth: The depth in the tree, from 1.
description: The step in words.
detail: The problem and how to solve it.
diff_url: The API path of the picture of the differences.
difference: The changed steps.
differing: The differing values.
digest: The hash of the row.
direction: Forwards from the first event or backwards from the last one.
disabled: Whether the step is skipped.
done: The number of processed entries.
dry_run: Validates only, and stores nothing.
due_cents: The amount due now, in cents.
duration_ms: The duration in milliseconds, null until the end.
effective_at: When the change takes effect.
email: The e-mail address.
email_verified: Whether the address is verified.
enabled: Whether it is enabled.
ended_at: When the mail was sent or given up.
entitlements: The caller's entitlements.
environment: The environment, null if none was used.
environment_id: The id of the environment.
error: The error message, null if there is none.
errored: The number of executions that could not be judged.
event: The type of the event.
event_id: The id of the event.
events: The events.
execution_id: The id of the execution; downloads also take that of a test.
executions: The executions.
expected: The value according to the log.
expected_used: The expected use of the quota at the end of the period.
expires_at: When it expires, null if it does not.
failed: The number of failed executions.
failures_only: Whether only failed runs are notified.
field: The field.
fields: The names of the changed fields.
file: The file.
finished_at: When it ended, null until then.
first_at: When the first event was recorded.
first_refused_at: When the first request was refused.
flakiest: The flakiest tests.
flakiness: The flakiness over several windows.
flaky: The number of executions that passed on a retry.
folder_id: The id of the folder, null for none.
format: The format of the file.
from: The start.
from_interval: The previous billing interval.
from_plan: The code of the previous plan.
from_position: The position before the change.
gains: Features and limits that the new plan adds.
grammar_version: The version of the grammar.
granted_until: The end of the granted plan, null without an end or without a grant.
hash: The hash of the event and its predecessor.
healed_at: When the element was first healed.
healed_target: The target that names the found element.
healing_id: The id of the healing.
height: The height in pixels.
id: The id of the resource, a UUID.
ids: The ids of the tests.
import_id: The id of the background import.
interval: The billing interval: month or year.
is_cut: Whether rows were omitted.
is_new: Whether this request started the build.
iss: The issuer of the provider.
items: The entries of the page.
joined_at: When the person joined the organisation.
kept_at: When the file was stored.
key: The key.
keys: The keys.
kid: The id of the key.
kind: The kind of the entry.
known_at: Return only events recorded before this time.
kty: The type of the key.
language: The language of the text.
last_at: When the last event was recorded.
last_error: The last error message, null if there is none.
last_execution_id: The id of the last execution.
last_healed_at: When the element was last healed.
last_tick: The last due time and its outcome, null before the first one.
last_used_at: When the key was last used, null if never.
limit: The maximum number of entries.
line: The number of the line, from 1.
lines: The credits and charges.
link: The API path of the resource.
live: The value in the read model.
locator: The locator that found the element.
longest_ms: The longest duration in milliseconds.
losses: Features and limits that the new plan removes.
masks: The regions that the comparison ignores.
max_diff_pixels: The tolerated number of differing pixels.
max_diff_ratio: The tolerated share of differing pixels, from 0 to 1.
mechanism: The credential of the request: session or API key.
members: The number of members.
message: The problem in words.
metadata: The metadata of the event.
month: The price per month in the currency.
monthly_runs: The number of runs per month, null if unlimited.
months: The months, oldest first.
more_on: The smallest plan that allows more, null if there is none.
move: The new project or folder of the tests.
`;
