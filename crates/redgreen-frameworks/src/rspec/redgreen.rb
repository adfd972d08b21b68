# frozen_string_literal: true

# redgreen's eyes inside RSpec: writes what happens, as it happens, to the file $REDGREEN_STREAM.
#
# The format is the report stream of redgreen, one JSON object a line. Rules kept here:
# - The user's run is never broken: everything is guarded, nothing is printed, no outcome is changed.
# - Nothing is required: a gem that is loaded here would be there for the code that forgot to load it, or
#   keep Bundler from taking another version.
# - Outcomes are taken where they happen: from the call of the example's own block and from the exceptions
#   that RSpec was handed, beside what hooks may make of them. A pass needs the block to have returned.
# - In a corner nothing stops at a failure, nor at a file that cannot be loaded.
# - Only the process that runs the examples writes: no forked child, no RSpec that an example starts.
# It lies in a folder that is called like RSpec's own, so that RSpec leaves it out of backtraces.
# Works with Ruby 2.5 and RSpec 3.0 and later.

module Redgreen
  MESSAGE_CHARS = 16_000
  STACK_CHARS = 32_000
  FRAMES = 60
  ID_CHARS = 400
  HERE = __FILE__
  # The red ones.
  RED = %w[failed errored].freeze
  # `file:line:in 'function'`
  FRAME = /\A(.+?):(\d+)(?::in [`'](.*)')?\z/.freeze
  # What a file that is no Ruby says first.
  BROKEN = /^(\S.*?):(\d+): (.*)/.freeze
  # The line of source that Ruby 3.1 and later show below what they say.
  POINTED = /\n\n[^\n]*\n *\^+\s*\z/.freeze
  EXPECTED = /^[ \t]*expected:? (.*?)\n[ \t]*got:? (.*?)(?:\n\n|\n*\z)/m.freeze

  # The run is the user's: whatever goes wrong in here stays in here.
  def self.guarded
    yield
  rescue StandardError
    nil
  end

  def self.text(value, limit = MESSAGE_CHARS)
    text = value.to_s
    text = text.encoding == Encoding::BINARY ? text.dup.force_encoding("UTF-8") : text.encode("UTF-8", invalid: :replace, undef: :replace)
    text = text.scrub("?")
    return text if text.length <= limit

    half = limit / 2
    "#{text[0, half]}\n[... #{text.length - 2 * half} characters left out ...]\n#{text[-half, half]}"
  end

  def self.json(value)
    case value
    when Hash then "{#{value.reject { |_, one| one.nil? }.map { |key, one| "#{json(key)}:#{json(one)}" }.join(",")}}"
    when Array then "[#{value.map { |one| json(one) }.join(",")}]"
    when Integer then value.to_s
    else "\"#{text(value, STACK_CHARS).gsub(/["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/) { |one| format("\\u%04x", one.ord) }}\""
    end
  end

  # Shown as one line, the same in every run; a digest keeps apart what looks the same.
  def self.printable(id)
    shown = id.gsub(/[^[:print:]]|\p{C}/) do |one|
      written = one.inspect[1..-2]
      written == one ? format("\\u{%x}", one.ord) : written
    end
    return id if shown == id && id.length <= ID_CHARS

    digest = id.each_byte.inject(0x811c9dc5) { |hash, byte| ((hash ^ byte) * 0x01000193) & 0xffffffff }
    format("%s#%08x", shown[0, ID_CHARS], digest)
  end

  # Outermost first.
  def self.frames(error)
    found = (error.backtrace || []).reject { |line| line.start_with?(HERE, "<internal:") }
    found = found.map { |line| FRAME.match(line) }.compact
    found = found.first(FRAMES).reverse
    found.map { |frame| { file: File.expand_path(frame[1]), line: frame[2].to_i, function: frame[3] } }
  end

  def self.each_of(error)
    many = error.respond_to?(:all_exceptions) ? error.all_exceptions : [error]
    many.flat_map { |one| one.respond_to?(:all_exceptions) && !one.equal?(error) ? each_of(one) : [one] }
  end

  # The first failure is the one to look at; others are mentioned.
  def self.failure(errors, phase)
    first, *others = errors.flat_map { |error| each_of(error) }.uniq(&:object_id)
    message = said(first)
    sides = EXPECTED.match(message)
    also = others.map { |error| "\nalso: #{error.class}: #{said(error)}" }
    {
      type: first.class.to_s, message: text(message + also.join), phase: phase,
      expected: sides && sides[1].strip, actual: sides && sides[2].strip,
      stack: guarded { text(first.full_message(highlight: false, order: :top), STACK_CHARS) }, frames: frames(first)
    }
  end

  def self.said(error)
    guarded { text(error.message).sub(POINTED, "").strip } || "<#{error.class} that cannot be shown>"
  end

  # What is known of one example.
  class Known
    attr_reader :id, :errors, :place
    attr_accessor :calls, :returned, :raised, :began

    def initialize(id, metadata)
      @id = id
      @place = { file: metadata[:absolute_file_path], line: metadata[:line_number] }
      @errors = []
      @calls = 0
    end
  end

  # One run of RSpec.
  class Run
    attr_reader :in_corner

    VARIABLES = %w[REDGREEN_STREAM REDGREEN_ONLY REDGREEN_CORNER].freeze

    # What an example starts does not find them.
    def self.claim
      taken = VARIABLES.map { |name| [name, ENV.delete(name)] }.to_h
      new(taken) unless taken["REDGREEN_STREAM"].to_s.empty?
    end

    def initialize(taken)
      @taken = taken
      path, only, in_corner = taken.values
      @file = File.open(path, File::WRONLY | File::APPEND | File::CREAT, 0o600)
      @process = Process.pid
      @name = "rspec-#{@process}"
      @only = only && File.readlines(only, encoding: "UTF-8").map(&:chomp)
      @in_corner = !in_corner.nil?
      @folder = File.expand_path(ENV.fetch("REDGREEN_FOLDER", "."))
      @known = {}.compare_by_identity
      @red = false
      @ended = 0
      @replaced = Replaced.new
      write("hello", runner: "rspec", version: RSpec::Core::Version::STRING)
    end

    def write(event, fields)
      return unless Process.pid == @process

      @file.syswrite("#{Redgreen.json({ event: event, run: @name }.merge(fields))}\n")
    end

    def known(example)
      @known[example]
    end

    # Every example has its id among all of them, also where only some are run.
    def collect
      taken = Hash.new(0)
      RSpec.world.all_examples.each do |example|
        id = base(example)
        number = taken[id] += 1
        id = "#{id} ##{number}" if number > 1
        @known[example] = Known.new(id, example.metadata)
        watch(example)
      end
      RSpec.world.all_example_groups.each do |group|
        wanted = group.filtered_examples
        if @only
          wanted = wanted.select { |example| @only.include?(@known[example].id) }
          RSpec.world.filtered_examples[group] = wanted
        end
        wanted.each { |example| write("collected", test: @known[example].id) }
      end
    end

    # Path and descriptions: no line, and no description that a matcher makes when it has run.
    def base(example)
      groups = example.example_group.parent_groups.reverse
      file = groups.first.metadata[:absolute_file_path].delete_prefix("#{@folder}/")
      title = example.metadata[:description].to_s
      names = groups.map { |group| group.description.to_s } + [title.empty? ? "it" : title]
      Redgreen.printable(Redgreen.text([file, *names].join(" > ")))
    end

    # The example's own block says when it is called and how that ends.
    def watch(example)
      block = example.instance_variable_get(:@example_block)
      return unless block

      known = @known[example]
      example.instance_variable_set(:@example_block, proc do |*arguments|
        known.errors.clear
        known.calls += 1
        known.returned = known.raised = nil
        begin
          result = instance_exec(*arguments, &block)
          known.returned = true
          result
        rescue Exception => error # rubocop:disable Lint/RescueException
          known.raised = error
          raise
        end
      end)
    end

    def start(known)
      known.began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      write("start", { test: known.id }.merge(known.place))
    end

    def finish(known, example)
      outcome, failure = judge(known, example)
      @red ||= RED.include?(outcome)
      @ended += 1
      @replaced.tell(self, example.example_group)
      spent = Process.clock_gettime(Process::CLOCK_MONOTONIC) - known.began
      fields = { test: known.id, outcome: outcome, ms: (spent * 1000).to_i, failure: failure }
      write("end", fields.merge(known.place))
      return unless outcome == "passed" && known.calls > 1

      write("note", message: "#{known.id} passed only after #{known.calls} attempts")
    end

    def judge(known, example)
      result = example.execution_result
      errors = known.errors
      errors |= [example.exception] if example.exception
      skipped = RSpec::Core::Pending::SkipDeclaredInExample === known.raised
      errors |= [known.raised] if known.raised && !skipped
      if result.pending_message && !example.exception
        return result.pending_exception || known.raised && !skipped ? ["expected_failure"] : ["skipped"]
      end
      return ["skipped"] if skipped && errors.empty?
      return red(known, errors, result) unless errors.empty?
      return ["passed"] if known.returned

      message = "RSpec says that it #{result.status || "ended"}, and its block did not run to its end"
      ["errored", { type: "NotCalled", message: message }]
    end

    def red(known, errors, result)
      within = known.raised || errors.any? { |error| RSpec::Core::Pending::PendingExampleFixedError === error }
      within ||= known.returned && errors.all? { |error| error.respond_to?(:all_exceptions) || expectation?(error) }
      phase = within ? "call" : (known.calls.zero? ? "setup" : "teardown")
      errors = [known.raised] | errors if known.raised
      failure = Redgreen.failure(errors, phase)
      failure[:message] += "\n(something rewrote the result of this example into a pass)" if result.status == :passed
      [within ? "failed" : "errored", failure]
    end

    # What mocks say when they are verified is about the example itself.
    def expectation?(error)
      defined?(RSpec::Mocks::MockExpectationError) && RSpec::Mocks::MockExpectationError === error
    end

    def outside(error, description)
      loading = description.to_s.match?(/while loading/i)
      failure = Redgreen.failure([error], nil)
      broken = SyntaxError === error && BROKEN.match(failure[:message])
      place = broken ? { file: broken[1], line: broken[2].to_i, message: broken[3] } : {}
      failure[:message] += "\n#{description}" unless loading
      failure.delete(:phase)
      @red = true
      write("error", { kind: loading ? "compile_error" : "runtime_error" }.merge(failure, place))
    end

    # What RSpec counted must be what was seen.
    def bye(code)
      @replaced.tell(self, nil)
      reporter = RSpec.configuration.reporter
      failed, all = reporter.failed_examples.size, reporter.examples.size
      unreconciled("#{failed} failures, and none was seen") if failed > 0 && !@red
      unreconciled("#{all} examples, and #{@ended} were seen") if all > @ended && !RSpec.configuration.dry_run?
      write("bye", exit: code.is_a?(Integer) ? code : nil)
      # A second suite of the same program is seen as well.
      ENV.update(@taken)
    end

    def unreconciled(counted)
      write("error", kind: "runtime_error", type: "Unreconciled", message: "RSpec counted #{counted}")
    end
  end

  # Notices when the code under test replaces a part of what judges it. Only looks: what files of tests
  # replace is seen when the tests run as they were before.
  class Replaced
    CORE = [BasicObject, Object, Integer, Float, String, Symbol, Array, Hash, NilClass, TrueClass, FalseClass].freeze
    EQUALITY = %i[== === eql? equal? != !].freeze
    PARTS = %w[
      RSpec::Matchers RSpec::Expectations::ExpectationTarget RSpec::Expectations::ExpectationTarget::InstanceMethods
      RSpec::Matchers::BuiltIn::BaseMatcher RSpec::Matchers::BuiltIn::Eq RSpec::Matchers::BuiltIn::BePredicate
      RSpec::Matchers::BuiltIn::Include RSpec::Matchers::BuiltIn::RaiseError
    ].freeze
    MODULES = %w[
      RSpec::Expectations RSpec::Support RSpec::Expectations::PositiveExpectationHandler
      RSpec::Expectations::NegativeExpectationHandler
    ].freeze
    ASKED = %i[expect is_expected eq be include raise_error].freeze
    OF_TESTS = %r{\A(?:spec|test|features)/|/(?:spec|test|features)/|_(?:spec|test)\.rb\z}.freeze
    INSTALLED = %r{/(?:gems|vendor|\.bundle)/}.freeze

    def initialize
      @told = {}
      @root = "#{Dir.pwd}/"
    end

    def tell(run, group)
      watched(group) { |owner, name| look(run, "#{owner.inspect}##{name}", owner.instance_method(name)) }
      notifier = RSpec::Support.failure_notifier
      look(run, "RSpec::Support.failure_notifier", notifier) if notifier.respond_to?(:source_location)
    end

    private

    def watched(group)
      CORE.each { |owner| EQUALITY.each { |name| yield owner, name if owner.method_defined?(name) } }
      ASKED.each { |name| yield group, name if group&.method_defined?(name) }
      owners = PARTS.map { |name| constant(name) } + MODULES.map { |name| constant(name)&.singleton_class }
      owners.compact.each { |owner| owner.instance_methods(false).each { |name| yield owner, name } }
    end

    def constant(name)
      Object.const_get(name) if Object.const_defined?(name)
    end

    def look(run, name, method)
      file, line = method.source_location
      return if file.nil? || @told[file + name] || !own?(File.expand_path(file))

      @told[file + name] = true
      message = "#{name} is replaced while the examples run: what passes after that proves nothing"
      run.write("error", kind: "runtime_error", type: "FrameworkReplaced", message: message, file: file, line: line)
    end

    def own?(file)
      inside = file.delete_prefix(@root)
      inside != file && !OF_TESTS.match?(inside) && !INSTALLED.match?(file)
    end
  end

  class << self
    attr_accessor :run
  end

  # One run after the other: what runs inside of one is a part of its examples.
  module Runner
    def run(*arguments)
      @redgreen = Redgreen.run ? nil : Redgreen.guarded { Redgreen.run = Run.claim }
      code = super
      if @redgreen
        Redgreen.guarded { @redgreen.bye(code) }
        Redgreen.run = nil
      end
      code
    end

    def run_specs(*arguments)
      # RSpec calls every example of a dry run passed.
      if @redgreen && RSpec.configuration.dry_run?
        Redgreen.guarded { @redgreen.write("note", message: "a dry run: RSpec calls every example passed, and runs none") }
      else
        Redgreen.guarded { @redgreen&.collect }
      end
      super
    end
  end

  module Example
    # The other two are for a group whose hook failed, or skipped it.
    %i[run fail_with_exception skip_with_exception].each do |name|
      define_method(name) do |*arguments|
        known = Redgreen.run&.known(self)
        Redgreen.guarded { Redgreen.run.start(known) } if known
        result = super(*arguments)
        Redgreen.guarded { Redgreen.run.finish(known, self) } if known
        result
      end
    end


    def set_exception(error, *arguments)
      Redgreen.guarded { Redgreen.run&.known(self)&.errors&.push(error) }
      super
    end
  end

  module Reporter
    def notify_non_example_exception(error, description)
      Redgreen.guarded { Redgreen.run&.outside(error, description) }
      super
    end

    def fail_fast_limit_met?
      Redgreen.run&.in_corner ? false : super
    end
  end

  module Configuration
    private

    # One file that cannot be loaded leaves the others in a corner; the run has failed all the same.
    def load_file_handling_errors(*arguments)
      super
      RSpec.world.wants_to_quit = false if Redgreen.run&.in_corner
    end
  end

  def self.attach
    core = RSpec::Core
    core::Runner.prepend(Runner)
    core::Example.prepend(Example)
    core::Reporter.prepend(Reporter)
    core::Configuration.prepend(Configuration) if core::Configuration.private_method_defined?(:load_file_handling_errors)
  end
end

if ENV["REDGREEN_STREAM"].to_s.empty?
  # Nobody listens.
elsif defined?(RSpec::Core::Runner)
  # `ruby -rrspec/autorun`
  Redgreen.guarded { Redgreen.attach }
else
  # Waits for RSpec: all of it is there when the first module in `rspec/core.rb` ends.
  waiting = TracePoint.new(:end) do |point|
    if point.path.end_with?("/rspec/core.rb") && defined?(RSpec::Core::Runner)
      waiting.disable
      Redgreen.guarded { Redgreen.attach }
    end
  end
  waiting.enable
end
