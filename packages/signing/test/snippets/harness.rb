# frozen_string_literal: true

require ARGV.shift

text = ->(encoded) { encoded.unpack1("m0").force_encoding("UTF-8") }
$stdin.each_line(chomp: true) do |line|
  scheme, vendor, now, secrets, body, headers = line.split("\t", -1)
  keys = secrets.split(",").map { |each| text.call(each[1..]) }
  pairs = headers.split(",").to_h { |each| each.split(":", 2).then { |name, value| [name, text.call(value)] } }
  data = body.unpack1("m0")
  index =
    case scheme
    when "folder" then TapedeckWebhook.verify_folder(data, pairs, keys, vendor: vendor)
    when "audit" then TapedeckWebhook.verify_audit(data, pairs, keys)
    else TapedeckWebhook.verify_standard(data, pairs, keys, now: Time.at(now.to_i))
    end
  puts index.nil? ? -1 : index
end
