-- Load for wrk. From the environment:
--   METHOD, PATHS (file with one path a line, taken in turn), AUTH, or
--   KEYS (file with one key a line, taken in turn),
--   BODY (file; each %d in it becomes a number no other request has).
local paths, turn, body, number = {}, 0, nil, 0
local threads = 0
local keys = {}

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  for line in io.lines(os.getenv("PATHS")) do
    paths[#paths + 1] = line
  end
  local file = os.getenv("BODY")
  if file and file ~= "" then
    body = io.open(file):read("*a")
  end
  wrk.method = os.getenv("METHOD") or "GET"
  wrk.headers["Content-Type"] = "application/json"
  local auth = os.getenv("AUTH")
  if auth and auth ~= "" then
    wrk.headers["Authorization"] = auth
  end
  local list = os.getenv("KEYS")
  if list and list ~= "" then
    for line in io.lines(list) do
      keys[#keys + 1] = "Bearer " .. line
    end
  end
  number = os.time() % 100000 * 10000000 + id * 5000000
end

function request()
  turn = turn % #paths + 1
  if not body then
    return wrk.format(nil, paths[turn])
  end
  number = number + 1
  if #keys > 0 then
    wrk.headers["Authorization"] = keys[number % #keys + 1]
  end
  return wrk.format(nil, paths[turn], nil, (body:gsub("%%d", string.format("%d", number))))
end
